// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <bitset>
#include <cstdint>
#include <unordered_map>

#include "core/base/fork.h"

namespace zarr {

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
    std::uint64_t moment() const { return moment_.load(); }
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
    std::atomic<std::uint64_t> moment_{0};
    std::atomic<bool> is_empty_{true};  // nothing is known
    std::atomic<bool> is_listed_{false};
    ChunkSet absent_;
    ChunkSet present_;  // where is_listed_
};

}  // namespace zarr
