// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "core/store/store.h"

namespace zarr::test {

// Counts the requests to the store that it wraps.
class SpyStore final : public ForwardingStore {
  public:
    using ForwardingStore::ForwardingStore;

    StoreTraits Traits() const override {
        StoreTraits traits = base().Traits();
        traits.caches_absence = caches_absent_keys;
        return traits;
    }
    Result<ReadResult> Read(const std::string& key, const ValuePart& part,
                            const ReadSink& sink) const override {
        Note(key);
        if (part.is_tail()) return base().Read(key, part, sink);
        if (!part.is_whole()) {
            ++ranges;
        } else if (sink.buffer() != nullptr) {
            ++gets;
            largest_limit = std::max(part.length(), largest_limit.load());
        } else {
            ++gets_into;
            last_memory = sink.memory().data;
        }
        return base().Read(key, part, sink);
    }
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const override {
        NoteList(prefix);
        return base().List(prefix);
    }
    Status VisitEntries(const std::string& prefix, const EntryVisitor& visit) const override {
        NoteList(prefix);
        return base().VisitEntries(prefix, visit);
    }
    Status ForEachKey(const std::string& prefix, const KeyVisitor& visit,
                      const PrefixVisitor& visit_prefix) const override {
        NoteList(prefix);
        return base().ForEachKey(prefix, visit, visit_prefix);
    }

    // Returns the number of reads of each key, including reads of ranges.
    std::map<std::string, int> by_key() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return by_key_;
    }

    // Returns how often each prefix was listed.
    std::map<std::string, int> lists_by_prefix() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return lists_by_prefix_;
    }

    bool caches_absent_keys = false;
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

    void NoteList(const std::string& prefix) const {
        ++lists;
        const std::lock_guard<std::mutex> lock(mutex_);
        ++lists_by_prefix_[prefix];
    }

    mutable std::mutex mutex_;
    mutable std::map<std::string, int> by_key_;
    mutable std::map<std::string, int> lists_by_prefix_;
};

}  // namespace zarr::test
