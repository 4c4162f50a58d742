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

// Counts of what a store was asked for. Never reset.
struct StoreCounters {
    std::atomic<std::uint64_t> requests{0};  // values, parts of values and listings
    std::atomic<std::uint64_t> time{0};  // nanoseconds until the answers, of all threads together
};

// A store that counts its requests, and remembers the first failure to read metadata or to list
// (kIo). Coordinate arrays and CRSs are optional, so a reader goes on without one; the failure lets
// it warn of the reason.
class WatchedStore final : public ForwardingStore {
  public:
    // `is_document` is true for the last name of a key of metadata.
    WatchedStore(std::shared_ptr<const Store> base, bool (*is_document)(std::string_view name))
        : ForwardingStore(std::move(base)), is_document_(is_document) {}

    // The first failure since the last call, which it forgets; ok where there was none.
    Status TakeFailure() const;
    // The number of failures. Never reset.
    std::uint64_t failures() const { return failures_; }

    const StoreCounters& counters() const { return counters_; }

    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override;
    // As one request.
    Status GetMany(const std::vector<std::string>& keys, const ReadManyOptions& options,
                   const ValueTaker& take) const override;
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override;
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override;
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override;

  private:
    void Note(const Status& status) const;
    template <class Question>
    auto Ask(Question&& question) const;

    bool (*const is_document_)(std::string_view);
    mutable StoreCounters counters_;
    mutable std::mutex mutex_;
    mutable Status first_;
    mutable std::atomic<std::uint64_t> failures_{0};
};

}  // namespace zarr
