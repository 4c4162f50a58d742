// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "core/base/bytes.h"
#include "core/base/fork.h"
#include "core/codec/codec.h"
#include "core/store/store.h"

namespace zarr {

// A decoded chunk, immutable once shared: elements in the chunk's memory order and the stored byte
// order. An absent chunk is a value too: it reads as the fill value.
struct DecodedChunk {
    // The memory of `elements` goes back to `pool`, which may be nullptr, in the end.
    explicit DecodedChunk(std::shared_ptr<BufferPool> pool_) : pool(std::move(pool_)) {}
    ~DecodedChunk();
    DecodedChunk(const DecodedChunk&) = delete;
    DecodedChunk& operator=(const DecodedChunk&) = delete;

    // Makes room for elements, uninitialised.
    Status Allocate(std::size_t size);

    bool absent = false;
    Buffer elements;        // of fixed-size types
    ObjectChunk objects;    // of kObject
    ObjectVersion version;  // of the stored chunk, from before it was read
    std::shared_ptr<BufferPool> pool;

    std::size_t bytes() const { return elements.size() + objects.bytes() + sizeof(DecodedChunk); }
};
using ChunkPtr = std::shared_ptr<const DecodedChunk>;

// Names a chunk: the array's id and the chunk's index in row-major order of the chunk grid.
struct ChunkId {
    std::uint64_t array = 0;
    std::uint64_t chunk = 0;

    bool operator==(const ChunkId& other) const {
        return array == other.array && chunk == other.chunk;
    }
};

// Decoded chunks of any number of arrays, bounded in bytes, least recently used first out. Several
// threads that miss on one chunk load it once. Thread-safe.
class ChunkCache {
  public:
    explicit ChunkCache(std::size_t max_bytes);

    // An empty chunk, for Replace() or to be loaded. Its memory is reused when it is no more: a
    // part of what the cache may hold is kept so, beside it.
    std::shared_ptr<DecodedChunk> NewChunk() const { return std::make_shared<DecodedChunk>(pool_); }

    std::size_t max_bytes() const;
    // Evicts at once what no longer fits.
    void SetMaxBytes(std::size_t max_bytes);

    // The chunk where it is held, else nullptr; never waits for a load.
    ChunkPtr Find(const ChunkId& id);

    // The chunk, from the cache or from `load`, which runs without a lock held. A failure is
    // returned to every thread that waited for it and not kept.
    Result<ChunkPtr> GetOrLoad(const ChunkId& id, const std::function<Result<ChunkPtr>()>& load);

    // Holds `chunk` from now on in place of what was held, or, where it is nullptr, nothing; a load
    // that is under way is not kept. For after a chunk was stored.
    void Replace(const ChunkId& id, ChunkPtr chunk);

    // Drops every chunk of an array.
    void DropArray(std::uint64_t array);

    // Drops the chunks of an array that `is_stale`, which runs without a lock held, is true of.
    // Those that are being loaded are kept, and shared with later readers, only where
    // `and_loading` is false: their loads may have begun long ago.
    void DropStale(std::uint64_t array, bool and_loading,
                   const std::function<bool(std::uint64_t, const DecodedChunk&)>& is_stale);

    // An id that no other array of the process has.
    static std::uint64_t NextArrayId();

  private:
    struct Hash {
        std::size_t operator()(const ChunkId& id) const;
    };
    struct Entry {
        ChunkId id;
        ChunkPtr chunk;
    };
    struct Load {  // under way; waiters hold it by shared_ptr
        Completion turn;
        bool is_stale = false;                // the chunk was replaced meanwhile
        Result<ChunkPtr> result{ChunkPtr()};  // once the turn has ended
    };
    using Recency = std::list<Entry>;  // most recent first
    using Loads = std::unordered_map<ChunkId, std::shared_ptr<Load>, Hash>;

    ChunkPtr FindLocked(const ChunkId& id);
    void InsertLocked(const ChunkId& id, ChunkPtr chunk);
    void EvictLocked();
    Recency::iterator DropLocked(Recency::iterator entry);
    Loads::iterator DisownLocked(Loads::iterator load);

    const std::shared_ptr<BufferPool> pool_;
    mutable Mutex mutex_;
    std::size_t max_bytes_;
    std::size_t bytes_ = 0;
    Recency recency_;
    std::unordered_map<ChunkId, Recency::iterator, Hash> entries_;
    Loads loads_;
};

// Chunks of an array, by their index in row-major order of the chunk grid.
class ChunkSet {
  public:
    bool Has(std::uint64_t chunk) const;
    void Add(std::uint64_t chunk) { blocks_[chunk / kBlock].set(chunk % kBlock); }
    void Remove(std::uint64_t chunk);
    void Clear() { blocks_.clear(); }

  private:
    // A bit for each chunk of a block of neighbours; half a kilobyte.
    static constexpr std::size_t kBlock = 4096;
    std::unordered_map<std::uint64_t, std::bitset<kBlock>> blocks_;
};

// What is known of an array's chunks that are not in the store, so that they are not asked for
// again. Thread-safe.
class AbsentChunks {
  public:
    bool Has(std::uint64_t chunk) const;

    // To be taken before the store is asked, for Add().
    std::uint64_t generation() const { return generation_.load(); }
    // Remembers an answer; not where any chunk was stored since the store was asked.
    void Add(std::uint64_t chunk, std::uint64_t asked);

    // After the chunk was stored.
    void Remove(std::uint64_t chunk);

    // From now on every chunk is absent that is not among those that a listing found; until
    // Clear(). Not where any chunk was stored since the listing began.
    void SetPresent(ChunkSet present, std::uint64_t asked);
    bool is_listed() const { return is_listed_.load(); }

    // Forgets everything.
    void Clear();

  private:
    mutable SharedMutex mutex_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<bool> is_empty_{true};  // nothing is known
    std::atomic<bool> is_listed_{false};
    ChunkSet absent_;
    ChunkSet present_;  // where is_listed_
};

}  // namespace zarr
