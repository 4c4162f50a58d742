// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <new>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/completion.h"
#include "core/base/status.h"

namespace zarr {

// Cache of immutable values of type T, whose size in bytes is T::bytes(), with a maximum total
// size. The least recently used values are evicted first. A value larger than the maximum is cached
// alone. With a maximum of 0 nothing is cached. If several threads need a value that is not cached,
// a single thread loads the value. Values are destroyed without a lock. Thread-safe.
template <class Key, class T, class Hash = std::hash<Key>>
class LoadOnceCache {
  public:
    using Pointer = std::shared_ptr<const T>;

  private:
    struct Load;

  public:
    explicit LoadOnceCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    std::size_t max_bytes() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return max_bytes_;
    }
    // Sets the maximum size of the cache in bytes. Evicts values until the cache is small enough.
    void SetMaxBytes(std::size_t max_bytes) {
        Recency dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        max_bytes_ = max_bytes;
        EvictLocked(dropped);
    }
    // True if a value was removed because the cache was full.
    bool has_evicted() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return has_evicted_;
    }

    // Returns the cached value; nullptr if the value is not cached. Never waits for a load.
    Pointer Find(const Key& key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return FindLocked(key);
    }

    // True if a thread is loading the value.
    bool IsLoading(const Key& key) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return OthersLoadLocked(key) != nullptr;
    }

    // Exclusive right of a thread to load a value. Other threads that need the value wait for the
    // result. If a Claim is destroyed before the value is loaded, one of the waiting threads loads
    // the value.
    //
    // A thread with a claim must not wait for another value. Otherwise two threads could deadlock,
    // each waiting for the value that the other has claimed.
    class Claim {
      public:
        Claim() = default;
        Claim(Claim&& other) noexcept
            : cache_(other.cache_), key_(std::move(other.key_)), load_(std::move(other.load_)) {}
        Claim& operator=(Claim&& other) noexcept {
            std::swap(cache_, other.cache_);
            std::swap(key_, other.key_);
            std::swap(load_, other.load_);
            return *this;
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;
        ~Claim() {
            if (load_ != nullptr) cache_->End(key_, *load_, nullptr);
        }

        explicit operator bool() const { return load_ != nullptr; }

      private:
        friend class LoadOnceCache;
        LoadOnceCache* cache_ = nullptr;
        Key key_{};
        std::shared_ptr<Load> load_;
    };

    // Gives the calling thread the exclusive right to load a value. Returns an empty claim if the
    // value is cached or another thread is loading the value.
    Claim TryClaim(const Key& key) {
        Claim claim;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (FindLocked(key) == nullptr && OthersLoadLocked(key) == nullptr) TakeLocked(key, claim);
        return claim;
    }

    // Loads the value of `claim` by calling `load`, and ends the claim. `load` runs without a lock.
    // Other threads that wait for the value get the result of `load`.
    using Loader = std::function<Result<Pointer>()>;
    Result<Pointer> LoadClaimed(Claim& claim, const Loader& load) {
        Result<Pointer> result = [&load]() -> Result<Pointer> {
            try {
                return load();
            } catch (const std::bad_alloc&) {
                return Status::OutOfMemory("out of memory");
            }
        }();
        // Until here another exception ends the claim, so that a waiting thread loads the value.
        const std::shared_ptr<Load> mine = std::move(claim.load_);
        End(claim.key_, *mine, &result);
        return result;
    }

    // Returns the value from the cache, or loads the value with `load`. A failure is not cached,
    // but returned to all threads that waited for the value.
    Result<Pointer> GetOrLoad(const Key& key, const Loader& load) {
        for (;;) {
            Claim claim;
            std::shared_ptr<Load> theirs;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (Pointer value = FindLocked(key)) return value;
                theirs = OthersLoadLocked(key);
                if (theirs == nullptr) TakeLocked(key, claim);
            }
            if (claim) return LoadClaimed(claim, load);
            theirs->completion.Wait();
            if (!theirs->is_abandoned) return theirs->result;
        }
    }

    // Replaces the cached value after it was changed; nullptr removes the value. If the value is
    // being loaded, the result of that load will not be cached.
    void Replace(const Key& key, Pointer value) {
        Recency dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(key);
        if (found != entries_.end()) DropLocked(found->second, dropped);
        const auto under_way = loads_.find(key);
        if (under_way != loads_.end()) DisownLocked(under_way);
        if (value != nullptr) InsertLocked(key, std::move(value), dropped);
    }

    // A cached value with its key.
    struct Entry {
        Key key;
        Pointer value;
    };
    using KeyTest = std::function<bool(const Key&)>;

    // Returns those cached values for whose keys `is_wanted` returns true, the most recently used
    // first. `is_wanted` must not use the cache.
    std::vector<Entry> Values(const KeyTest& is_wanted) const {
        std::vector<Entry> values;
        const std::lock_guard<std::mutex> lock(mutex_);
        std::copy_if(recency_.begin(), recency_.end(), std::back_inserter(values),
                     [&](const Entry& entry) { return is_wanted(entry.key); });
        return values;
    }

    // Drops those values for whose keys `is_dropped` returns true. `is_dropped` must not use the
    // cache.
    void DropIf(const KeyTest& is_dropped) {
        Recency dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = recency_.begin(); it != recency_.end();)
            it = is_dropped(it->key) ? DropLocked(it, dropped) : std::next(it);
    }

    // Makes the next reader of each value in question load the value again, if it is being loaded:
    // results of loads in progress are neither cached nor shared with later readers, because these
    // loads may have read the store before a change. `is_in_question` must not use the cache.
    void DisownLoads(const KeyTest& is_in_question) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = loads_.begin(); it != loads_.end();)
            it = is_in_question(it->first) ? DisownLocked(it) : std::next(it);
    }

    // Drops the value of `entry`, unless another one has replaced it.
    void Drop(const Entry& entry) {
        Recency dropped;
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(entry.key);
        if (found != entries_.end() && found->second->value == entry.value)
            DropLocked(found->second, dropped);
    }

  private:
    // A load in progress. All threads that wait for the value share this object.
    struct Load {
        Completion completion;
        bool is_stale = false;  // true if the value was replaced during the load
        // The members below are valid once `completion` has ended. Readers must wait for that end.
        bool is_abandoned = false;
        Result<Pointer> result{Pointer()};
    };
    using Recency = std::list<Entry>;  // entries, the most recently used first
    using Loads = std::unordered_map<Key, std::shared_ptr<Load>, Hash>;

    Pointer FindLocked(const Key& key) {
        const auto found = entries_.find(key);
        if (found == entries_.end()) return nullptr;
        recency_.splice(recency_.begin(), recency_, found->second);
        return found->second->value;
    }
    // The functions below move what they remove from the cache to `dropped`, which the caller
    // destroys after it has unlocked the mutex.
    void InsertLocked(const Key& key, Pointer value, Recency& dropped) {
        const std::size_t size = value->bytes();
        Recency added;
        added.push_front({key, std::move(value)});
        entries_[key] = added.begin();
        recency_.splice(recency_.begin(), added);
        bytes_ += size;
        EvictLocked(dropped);
    }
    // Without memory for the cache's containers the value is not cached, and the load still ends.
    void TryInsertLocked(const Key& key, Pointer value, Recency& dropped) {
        try {
            InsertLocked(key, std::move(value), dropped);
        } catch (const std::bad_alloc&) {
        }
    }
    void EvictLocked(Recency& dropped) {
        const std::size_t kept = max_bytes_ == 0 ? 0 : 1;
        while (bytes_ > max_bytes_ && recency_.size() > kept) {
            DropLocked(std::prev(recency_.end()), dropped);
            has_evicted_ = true;
        }
    }
    typename Recency::iterator DropLocked(typename Recency::iterator entry, Recency& dropped) {
        bytes_ -= entry->value->bytes();
        entries_.erase(entry->key);
        const auto next = std::next(entry);
        dropped.splice(dropped.end(), recency_, entry);
        return next;
    }
    std::shared_ptr<Load> OthersLoadLocked(const Key& key) {
        const auto under_way = loads_.find(key);
        return under_way != loads_.end() ? under_way->second : nullptr;
    }
    void TakeLocked(const Key& key, Claim& claim) {
        auto load = std::make_shared<Load>();
        loads_[key] = load;
        claim.cache_ = this;
        claim.key_ = key;
        claim.load_ = std::move(load);
    }
    // Ends a load and wakes the waiting threads. `result` is the result of the load; nullptr if the
    // claim was destroyed without loading.
    void End(const Key& key, Load& load, const Result<Pointer>* result) {
        Recency dropped;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            load.is_abandoned = result == nullptr;
            if (result != nullptr) load.result = *result;
            const auto current = loads_.find(key);
            if (current != loads_.end() && current->second.get() == &load) loads_.erase(current);
            if (result != nullptr && result->ok() && !load.is_stale)
                TryInsertLocked(key, **result, dropped);
        }
        load.completion.End();
    }
    // Detaches a load in progress, so that the next reader loads the value again.
    typename Loads::iterator DisownLocked(typename Loads::iterator load) {
        load->second->is_stale = true;
        return loads_.erase(load);
    }

    mutable std::mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    bool has_evicted_ = false;
    Recency recency_;
    std::unordered_map<Key, typename Recency::iterator, Hash> entries_;
    Loads loads_;
};

}  // namespace zarr
