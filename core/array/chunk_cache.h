// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <functional>
#include <memory>
#include <shared_mutex>
#include <unordered_map>

#include "core/array/chunk_id.h"
#include "core/base/bytes.h"
#include "core/codec/codec.h"
#include "core/store/store.h"

namespace zarr {

// A decoded chunk, immutable once shared. Elements are in the chunk's memory order and in the
// stored byte order. A chunk that is absent from the store has no elements, and reads as the fill
// value.
struct DecodedChunk {
    // Creates a chunk without elements. The destructor gives the memory of `elements` to `pool_`,
    // which may be nullptr.
    explicit DecodedChunk(std::shared_ptr<BufferPool> pool_) : pool(std::move(pool_)) {}
    ~DecodedChunk();
    DecodedChunk(const DecodedChunk&) = delete;
    DecodedChunk& operator=(const DecodedChunk&) = delete;

    // Allocates uninitialised memory of `size` bytes for the chunk's elements.
    Status Allocate(std::size_t size);

    bool absent = false;
    Buffer elements;        // elements of a type with fixed size
    ObjectChunk objects;    // elements of a kObject array
    ObjectVersion version;  // version of the stored chunk before it was read
    std::shared_ptr<BufferPool> pool;

    std::size_t bytes() const { return elements.size() + objects.bytes() + sizeof(DecodedChunk); }
};
using ChunkPtr = std::shared_ptr<const DecodedChunk>;

// Cache of decoded chunks. Several arrays may share a cache.
class ChunkCache final : public PerChunkCache<DecodedChunk> {
  public:
    explicit ChunkCache(std::size_t max_bytes)
        : PerChunkCache(max_bytes), pool_(std::make_shared<BufferPool>(max_bytes / kIdleShare)) {}

    // Creates an empty chunk, which the caller loads or passes to Replace(). The memory of
    // destroyed chunks is kept for later chunks. The kept memory is not part of the cache size, and
    // takes at most 1/kIdleShare of the cache size.
    std::shared_ptr<DecodedChunk> NewChunk() const { return std::make_shared<DecodedChunk>(pool_); }

    // Sets the size of the cache in bytes and evicts chunks until they fit.
    void SetMaxBytes(std::size_t max_bytes) {
        PerChunkCache::SetMaxBytes(max_bytes);
        pool_->SetMaxBytes(max_bytes / kIdleShare);
    }

    // Returns a new array id, which is unique in this process.
    static std::uint64_t NextArrayId();

  private:
    // Memory that is kept for new chunks takes at most the cache size divided by this number.
    static constexpr std::size_t kIdleShare = 8;

    const std::shared_ptr<BufferPool> pool_;
};

// Set of chunks of an array, by row-major number in the chunk grid.
class ChunkSet {
  public:
    bool Has(std::uint64_t chunk) const;
    void Add(std::uint64_t chunk) { blocks_[chunk / kBlock].set(chunk % kBlock); }
    void Remove(std::uint64_t chunk);
    void Clear() { blocks_.clear(); }

  private:
    // Number of bits in a block. A block has a bit for each of 4096 neighbouring chunks and takes
    // 512 bytes.
    static constexpr std::size_t kBlock = 4096;
    std::unordered_map<std::uint64_t, std::bitset<kBlock>> blocks_;
};

// Chunks of an array that are known to be absent. No request is sent for a known absent chunk.
// Thread-safe.
class AbsentChunks {
  public:
    bool Has(std::uint64_t chunk) const;

    // Returns a number that changes when a chunk is stored. A reader calls generation() before it
    // requests a chunk or a listing from the store, and passes the number to Add() or SetPresent()
    // as `asked`. Both functions ignore an outdated answer of the store.
    std::uint64_t generation() const { return generation_.load(); }
    // Records that a chunk is absent. Does nothing if any chunk was stored since generation()
    // returned `asked`.
    void Add(std::uint64_t chunk, std::uint64_t asked);

    // Records that a chunk was stored and is no longer absent.
    void Remove(std::uint64_t chunk);

    // Records a complete listing: all chunks not in `present` are absent until Clear(). Does
    // nothing if any chunk was stored since generation() returned `asked`.
    void SetPresent(ChunkSet present, std::uint64_t asked);
    bool is_listed() const { return is_listed_.load(); }

    // Forgets the absent chunks and the listing. Afterwards no chunk is known to be absent.
    void Clear();

  private:
    mutable std::shared_mutex mutex_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<bool> is_empty_{true};  // true if no chunk is known to be absent
    std::atomic<bool> is_listed_{false};
    ChunkSet absent_;
    ChunkSet present_;  // stored chunks that the listing found; valid if is_listed_
};

}  // namespace zarr
