// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
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

// Identifies a chunk: the array's id, and the chunk's row-major number in the chunk grid.
struct ChunkId {
    std::uint64_t array = 0;
    std::uint64_t chunk = 0;

    bool operator==(const ChunkId& other) const {
        return array == other.array && chunk == other.chunk;
    }
};

// Cache of immutable values, one per chunk, with a maximum total size in bytes. The least recently
// used values are evicted first. A value larger than the maximum is cached alone. With a maximum of
// 0 nothing is cached. If several threads need a value that is not cached, a single thread loads
// the value. Thread-safe.
template <class T>
class LoadingCache {
  public:
    using Pointer = std::shared_ptr<const T>;

  private:
    struct Load;

  public:
    explicit LoadingCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    std::size_t max_bytes() const {
        const std::lock_guard<std::mutex> lock(mutex_);
        return max_bytes_;
    }
    // Sets the maximum size of the cache in bytes. Evicts values until the cache is small enough.
    void SetMaxBytes(std::size_t max_bytes) {
        const std::lock_guard<std::mutex> lock(mutex_);
        max_bytes_ = max_bytes;
        EvictLocked();
    }

    // Returns the cached value; nullptr if the value is not cached. Never waits for a load.
    Pointer Find(const ChunkId& id) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return FindLocked(id);
    }

    // True if a thread is loading the value.
    bool IsLoading(const ChunkId& id) {
        const std::lock_guard<std::mutex> lock(mutex_);
        return OthersLoadLocked(id) != nullptr;
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
            : cache_(other.cache_), id_(other.id_), load_(std::move(other.load_)) {}
        Claim& operator=(Claim&& other) noexcept {
            std::swap(cache_, other.cache_);
            std::swap(id_, other.id_);
            std::swap(load_, other.load_);
            return *this;
        }
        Claim(const Claim&) = delete;
        Claim& operator=(const Claim&) = delete;
        ~Claim() {
            if (load_ != nullptr) cache_->End(id_, *load_, nullptr);
        }

        explicit operator bool() const { return load_ != nullptr; }

      private:
        friend class LoadingCache;
        LoadingCache* cache_ = nullptr;
        ChunkId id_;
        std::shared_ptr<Load> load_;
    };

    // Gives the calling thread the exclusive right to load a value. Returns an empty claim if the
    // value is cached or another thread is loading the value.
    Claim TryClaim(const ChunkId& id) {
        Claim claim;
        const std::lock_guard<std::mutex> lock(mutex_);
        if (FindLocked(id) == nullptr && OthersLoadLocked(id) == nullptr) TakeLocked(id, claim);
        return claim;
    }

    // Loads the value of `claim` by calling `load`, and ends the claim. `load` runs without a lock.
    // Other threads that wait for the value get the result of `load`.
    using Loader = std::function<Result<Pointer>()>;
    Result<Pointer> LoadClaimed(Claim& claim, const Loader& load) {
        const std::shared_ptr<Load> mine = std::move(claim.load_);
        Result<Pointer> result = [&load]() -> Result<Pointer> {
            try {
                return load();
            } catch (const std::bad_alloc&) {
                return Status::OutOfMemory("out of memory");
            }
        }();
        End(claim.id_, *mine, &result);
        return result;
    }

    // Returns the value from the cache, or loads the value with `load`. A failure is not cached,
    // but returned to all threads that waited for the value.
    Result<Pointer> GetOrLoad(const ChunkId& id, const Loader& load) {
        for (;;) {
            Claim claim;
            std::shared_ptr<Load> theirs;
            {
                const std::lock_guard<std::mutex> lock(mutex_);
                if (Pointer value = FindLocked(id)) return value;
                theirs = OthersLoadLocked(id);
                if (theirs == nullptr) TakeLocked(id, claim);
            }
            if (claim) return LoadClaimed(claim, load);
            theirs->completion.Wait();
            if (!theirs->is_abandoned) return theirs->result;
        }
    }

    // Replaces the cached value after a chunk was stored; nullptr removes the value. If the value
    // is being loaded, the result of that load will not be cached.
    void Replace(const ChunkId& id, Pointer value) {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = entries_.find(id);
        if (found != entries_.end()) DropLocked(found->second);
        const auto under_way = loads_.find(id);
        if (under_way != loads_.end()) DisownLocked(under_way);
        if (value != nullptr) InsertLocked(id, std::move(value));
    }

    // Drops all values of the array with id `array`.
    void DropArray(std::uint64_t array) {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (auto it = recency_.begin(); it != recency_.end();)
            it = it->id.array == array ? DropLocked(it) : std::next(it);
    }

    // Drops those values of an array for which `is_stale` returns true; `is_stale` runs without a
    // lock.
    //
    // If `and_loading` is true, results of loads in progress are neither cached nor shared with
    // later readers, because these loads may have read the store before a change.
    void DropOutdated(std::uint64_t array, bool and_loading,
                      const std::function<bool(std::uint64_t, const T&)>& is_stale) {
        std::vector<Entry> of_array;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            for (const Entry& entry : recency_)
                if (entry.id.array == array) of_array.push_back(entry);
            for (auto it = loads_.begin(); and_loading && it != loads_.end();)
                it = it->first.array == array ? DisownLocked(it) : std::next(it);
        }
        for (const Entry& entry : of_array) {
            if (!is_stale(entry.id.chunk, *entry.value)) continue;
            const std::lock_guard<std::mutex> lock(mutex_);
            const auto found = entries_.find(entry.id);
            if (found != entries_.end() && found->second->value == entry.value)
                DropLocked(found->second);
        }
    }

  private:
    struct Hash {
        std::size_t operator()(const ChunkId& id) const {
            // Fibonacci hashing: this factor spreads neighbouring chunks of arrays with
            // neighbouring ids over the buckets.
            return static_cast<std::size_t>((id.chunk ^ (id.array << 40)) * 0x9e3779b97f4a7c15U);
        }
    };
    struct Entry {
        ChunkId id;
        Pointer value;
    };
    // A load in progress. All threads that wait for the value share this object.
    struct Load {
        Completion completion;
        bool is_stale = false;  // true if the chunk was replaced during the load
        // The members below are valid once `completion` has ended. Readers must wait for that end.
        bool is_abandoned = false;
        Result<Pointer> result{Pointer()};
    };
    using Recency = std::list<Entry>;  // entries, the most recently used first
    using Loads = std::unordered_map<ChunkId, std::shared_ptr<Load>, Hash>;

    Pointer FindLocked(const ChunkId& id) {
        const auto found = entries_.find(id);
        if (found == entries_.end()) return nullptr;
        recency_.splice(recency_.begin(), recency_, found->second);
        return found->second->value;
    }
    void InsertLocked(const ChunkId& id, Pointer value) {
        const std::size_t size = value->bytes();
        recency_.push_front({id, std::move(value)});
        entries_[id] = recency_.begin();
        bytes_ += size;
        EvictLocked();
    }
    void EvictLocked() {
        const std::size_t kept = max_bytes_ == 0 ? 0 : 1;
        while (bytes_ > max_bytes_ && recency_.size() > kept) DropLocked(std::prev(recency_.end()));
    }
    typename Recency::iterator DropLocked(typename Recency::iterator entry) {
        bytes_ -= entry->value->bytes();
        entries_.erase(entry->id);
        return recency_.erase(entry);
    }
    std::shared_ptr<Load> OthersLoadLocked(const ChunkId& id) {
        const auto under_way = loads_.find(id);
        return under_way != loads_.end() ? under_way->second : nullptr;
    }
    void TakeLocked(const ChunkId& id, Claim& claim) {
        auto load = std::make_shared<Load>();
        loads_[id] = load;
        claim.cache_ = this;
        claim.id_ = id;
        claim.load_ = std::move(load);
    }
    // Ends a load and wakes the waiting threads. `result` is the result of the load; nullptr if the
    // claim was destroyed without loading.
    void End(const ChunkId& id, Load& load, const Result<Pointer>* result) {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            load.is_abandoned = result == nullptr;
            if (result != nullptr) load.result = *result;
            const auto current = loads_.find(id);
            if (current != loads_.end() && current->second.get() == &load) loads_.erase(current);
            if (result != nullptr && result->ok() && !load.is_stale) InsertLocked(id, **result);
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
    Recency recency_;
    std::unordered_map<ChunkId, typename Recency::iterator, Hash> entries_;
    Loads loads_;
};

}  // namespace zarr
