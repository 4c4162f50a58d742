// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/store/store.h"

namespace zarr {

// Counts of a store's requests. Never reset.
struct StoreCounters {
    std::atomic<std::uint64_t> requests{0};  // reads of values or of their parts, and listings
    // Sum over all threads of the time spent waiting for responses, in nanoseconds.
    std::atomic<std::uint64_t> time{0};
};

// Store that counts requests and records failures (kIo) of reading metadata or of listing. Readers
// continue without optional data such as a CRS, and later warn with the first recorded failure.
class WatchedStore final : public ForwardingStore {
  public:
    // `is_document` takes the last component of a key, and returns true if it is the name of a
    // metadata document.
    WatchedStore(std::shared_ptr<const Store> base, bool (*is_document)(std::string_view name))
        : ForwardingStore(std::move(base)), is_document_(is_document) {}

    // Returns the first failure since the last call of TakeFailure(), and clears the record.
    // Returns ok if no read has failed since then.
    Status TakeFailure() const;
    // Returns the number of failures so far. Never reset.
    std::uint64_t failures() const { return failures_; }

    const StoreCounters& counters() const { return counters_; }

    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    // Reads several values. The call counts as one request.
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override;

  private:
    void Note(const Status& status) const;
    template <class Call>
    auto Observe(Call&& call) const;

    bool (*const is_document_)(std::string_view);
    mutable StoreCounters counters_;
    mutable std::mutex mutex_;
    mutable Status first_;
    mutable std::atomic<std::uint64_t> failures_{0};
};

}  // namespace zarr
