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

#include "core/base/fork.h"
#include "core/base/status.h"

namespace zarr {

// Names a chunk: the array's id and the chunk's index in row-major order of the chunk grid.
struct ChunkId {
    std::uint64_t array = 0;
    std::uint64_t chunk = 0;

    bool operator==(const ChunkId& other) const {
        return array == other.array && chunk == other.chunk;
    }
};

// Immutable values of the chunks of any number of arrays, bounded in bytes(), least recently used
// first out. Several threads that miss on one load it once. Thread-safe.
template <class T>
class LoadingCache {
  public:
    using Pointer = std::shared_ptr<const T>;

    explicit LoadingCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

    std::size_t max_bytes() const {
        const std::lock_guard<Mutex> lock(mutex_);
        return max_bytes_;
    }
    // Evicts at once what no longer fits.
    void SetMaxBytes(std::size_t max_bytes) {
        const std::lock_guard<Mutex> lock(mutex_);
        max_bytes_ = max_bytes;
        EvictLocked();
    }

    // The value where it is held, else nullptr; never waits for a load.
    Pointer Find(const ChunkId& id) {
        const std::lock_guard<Mutex> lock(mutex_);
        return FindLocked(id);
    }

    // The value, from the cache or from `load`, which runs without a lock held. A failure is
    // returned to every thread that waited for it and not kept.
    Result<Pointer> GetOrLoad(const ChunkId& id, const std::function<Result<Pointer>()>& load) {
        std::shared_ptr<Load> mine;
        std::shared_ptr<Load> theirs;
        {
            const std::lock_guard<Mutex> lock(mutex_);
            if (Pointer value = FindLocked(id)) return value;
            const auto under_way = loads_.find(id);
            if (under_way != loads_.end() && under_way->second->turn.IsOfThisProcess()) {
                theirs = under_way->second;
            } else {
                mine = std::make_shared<Load>();
                loads_[id] = mine;
            }
        }
        if (theirs != nullptr) {
            theirs->turn.Wait();
            return theirs->result;
        }
        Result<Pointer> result = [&load]() -> Result<Pointer> {
            try {
                return load();
            } catch (const std::bad_alloc&) {
                return Status::OutOfMemory("out of memory");
            }
        }();
        {
            const std::lock_guard<Mutex> lock(mutex_);
            mine->result = result;
            const auto current = loads_.find(id);
            if (current != loads_.end() && current->second == mine) loads_.erase(current);
            if (result.ok() && !mine->is_stale) InsertLocked(id, *result);
        }
        mine->turn.End();
        return result;
    }

    // Holds `value` from now on in place of what was held, or, where it is nullptr, nothing; a load
    // that is under way is not kept. For after a chunk was stored.
    void Replace(const ChunkId& id, Pointer value) {
        const std::lock_guard<Mutex> lock(mutex_);
        const auto found = entries_.find(id);
        if (found != entries_.end()) DropLocked(found->second);
        const auto under_way = loads_.find(id);
        if (under_way != loads_.end()) DisownLocked(under_way);
        if (value != nullptr) InsertLocked(id, std::move(value));
    }

    // Drops every value of an array.
    void DropArray(std::uint64_t array) {
        const std::lock_guard<Mutex> lock(mutex_);
        for (auto it = recency_.begin(); it != recency_.end();)
            it = it->id.array == array ? DropLocked(it) : std::next(it);
    }

    // Drops the values of an array that `is_stale`, which runs without a lock held, is true of.
    // Those that are being loaded are kept, and shared with later readers, only where
    // `and_loading` is false: their loads may have begun long ago.
    void DropStale(std::uint64_t array, bool and_loading,
                   const std::function<bool(std::uint64_t, const T&)>& is_stale) {
        std::vector<Entry> held;
        {
            const std::lock_guard<Mutex> lock(mutex_);
            for (const Entry& entry : recency_)
                if (entry.id.array == array) held.push_back(entry);
            for (auto it = loads_.begin(); and_loading && it != loads_.end();)
                it = it->first.array == array ? DisownLocked(it) : std::next(it);
        }
        for (const Entry& entry : held) {
            if (!is_stale(entry.id.chunk, *entry.value)) continue;
            const std::lock_guard<Mutex> lock(mutex_);
            const auto found = entries_.find(entry.id);
            if (found != entries_.end() && found->second->value == entry.value)
                DropLocked(found->second);
        }
    }

  private:
    struct Hash {
        std::size_t operator()(const ChunkId& id) const {
            // Fibonacci hashing: neighbouring chunks of neighbouring arrays spread over the
            // buckets.
            return static_cast<std::size_t>((id.chunk ^ (id.array << 40)) * 0x9e3779b97f4a7c15U);
        }
    };
    struct Entry {
        ChunkId id;
        Pointer value;
    };
    struct Load {  // under way; waiters hold it by shared_ptr
        Completion turn;
        bool is_stale = false;              // the chunk was replaced meanwhile
        Result<Pointer> result{Pointer()};  // once the turn has ended
    };
    using Recency = std::list<Entry>;  // most recent first
    using Loads = std::unordered_map<ChunkId, std::shared_ptr<Load>, Hash>;

    Pointer FindLocked(const ChunkId& id) {
        const auto found = entries_.find(id);
        if (found == entries_.end()) return nullptr;
        recency_.splice(recency_.begin(), recency_, found->second);
        return found->second->value;
    }
    void InsertLocked(const ChunkId& id, Pointer value) {
        const std::size_t size = value->bytes();
        if (size > max_bytes_) return;
        recency_.push_front({id, std::move(value)});
        entries_[id] = recency_.begin();
        bytes_ += size;
        EvictLocked();
    }
    void EvictLocked() {
        while (bytes_ > max_bytes_ && !recency_.empty()) DropLocked(std::prev(recency_.end()));
    }
    typename Recency::iterator DropLocked(typename Recency::iterator entry) {
        bytes_ -= entry->value->bytes();
        entries_.erase(entry->id);
        return recency_.erase(entry);
    }
    // The next reader loads it anew.
    typename Loads::iterator DisownLocked(typename Loads::iterator load) {
        load->second->is_stale = true;
        return loads_.erase(load);
    }

    mutable Mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Recency recency_;
    std::unordered_map<ChunkId, typename Recency::iterator, Hash> entries_;
    Loads loads_;
};

}  // namespace zarr
