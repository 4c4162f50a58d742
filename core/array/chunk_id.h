// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "core/base/load_once_cache.h"

namespace zarr {

// Identifies a chunk: the array's id, and the chunk's row-major number in the chunk grid.
struct ChunkId {
    std::uint64_t array = 0;
    std::uint64_t chunk = 0;

    bool operator==(const ChunkId& other) const {
        return array == other.array && chunk == other.chunk;
    }
};

struct ChunkIdHash {
    std::size_t operator()(const ChunkId& id) const {
        // Fibonacci hashing: this factor spreads neighbouring chunks of arrays with neighbouring
        // ids over the buckets.
        return static_cast<std::size_t>((id.chunk ^ (id.array << 40)) * 0x9e3779b97f4a7c15U);
    }
};

// Cache with one value per chunk. Several arrays may share a cache. Thread-safe.
template <class T>
class PerChunkCache : public LoadOnceCache<ChunkId, T, ChunkIdHash> {
  public:
    using LoadOnceCache<ChunkId, T, ChunkIdHash>::LoadOnceCache;

    // Drops all values of the array with id `array`.
    void DropArray(std::uint64_t array) {
        this->DropIf([&](const ChunkId& id) { return id.array == array; });
    }

    // Drops those values of an array for which `is_stale` returns true; `is_stale` runs without a
    // lock. If `and_loading` is true, results of loads in progress are not cached (DisownLoads()).
    void DropOutdated(std::uint64_t array, bool and_loading,
                      const std::function<bool(std::uint64_t, const T&)>& is_stale) {
        const auto is_of_array = [&](const ChunkId& id) { return id.array == array; };
        // In this order, because a load that ends in between must be in one of the two.
        if (and_loading) this->DisownLoads(is_of_array);
        const auto of_array = this->Values(is_of_array);
        for (const auto& entry : of_array)
            if (is_stale(entry.key.chunk, *entry.value)) this->Drop(entry);
    }
};

}  // namespace zarr
