// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "core/store/store.h"

namespace zarr::test {

// Counts what is asked of the store behind it.
class SpyStore final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;

    bool RemembersAbsence() const override { return remembers_absence; }
    Result<bool> Get(const std::string& key, Buffer& value, std::size_t limit) const override {
        ++gets;
        Note(key);
        largest_limit = limit > largest_limit ? limit : largest_limit.load();
        return base().Get(key, value, limit);
    }
    Result<std::optional<std::size_t>> GetInto(const std::string& key,
                                               MutableByteSpan memory) const override {
        ++gets_into;
        Note(key);
        last_memory = memory.data;
        return base().GetInto(key, memory);
    }
    Result<bool> GetRange(const std::string& key, std::uint64_t offset, std::size_t length,
                          Buffer& value) const override {
        ++ranges;
        Note(key);
        return base().GetRange(key, offset, length, value);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        ++lists;
        return base().List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        ++lists;
        return base().VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        ++lists;
        return base().ForEachKey(prefix, visit, visit_prefix);
    }

    // How often each key, or a range of it, was asked for.
    std::map<std::string, int> by_key() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return by_key_;
    }

    bool remembers_absence = false;
    mutable std::atomic<int> gets{0};
    mutable std::atomic<int> gets_into{0};
    mutable std::atomic<int> ranges{0};
    mutable std::atomic<int> lists{0};
    mutable std::atomic<std::size_t> largest_limit{0};
    mutable std::atomic<std::uint8_t*> last_memory{nullptr};

  private:
    void Note(const std::string& key) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++by_key_[key];
    }

    mutable std::mutex mutex_;
    mutable std::map<std::string, int> by_key_;
};

}  // namespace zarr::test
