// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "core/array/loading_cache.h"
#include "core/base/bytes.h"
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

// Decoded chunks of any number of arrays.
class ChunkCache final : public LoadingCache<DecodedChunk> {
  public:
    explicit ChunkCache(std::size_t max_bytes)
        : LoadingCache(max_bytes), pool_(std::make_shared<BufferPool>(max_bytes / kIdleShare)) {}

    // An empty chunk, for Replace() or to be loaded. Its memory is reused when it is no more: a
    // part of what the cache may hold is kept so, beside it.
    std::shared_ptr<DecodedChunk> NewChunk() const { return std::make_shared<DecodedChunk>(pool_); }

    // Evicts at once what no longer fits.
    void SetMaxBytes(std::size_t max_bytes) {
        LoadingCache::SetMaxBytes(max_bytes);
        pool_->SetMaxBytes(max_bytes / kIdleShare);
    }

    // An id that no other array of the process has.
    static std::uint64_t NextArrayId();

  private:
    // Memory that waits to be used again takes at most the cache's size divided by this.
    static constexpr std::size_t kIdleShare = 8;

    const std::shared_ptr<BufferPool> pool_;
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
    mutable std::shared_mutex mutex_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<bool> is_empty_{true};  // nothing is known
    std::atomic<bool> is_listed_{false};
    ChunkSet absent_;
    ChunkSet present_;  // where is_listed_
};

}  // namespace zarr
