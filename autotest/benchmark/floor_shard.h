// SPDX-License-Identifier: MIT
// Reads shard files of Zarr v3 for zarr_floor, a minimal reader that gives the lower bound of the
// benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autotest/benchmark/floor_codec.h"

// A shard file that is open for reading. Threads may call ReadChunk() concurrently.
class FloorShard {
  public:
    FloorShard() = default;
    ~FloorShard();
    FloorShard(const FloorShard&) = delete;
    FloorShard& operator=(const FloorShard&) = delete;

    // Opens a shard file and reads its index, which is at the end of the file and has a CRC-32C.
    // `chunks` is the number of chunks in a shard. Returns false on failure.
    bool Open(const std::string& path, std::size_t chunks);

    // Reads the encoded bytes of the chunk with entry number `place` in the shard index. Returns
    // false if the chunk is absent or cannot be read.
    bool ReadChunk(std::size_t place, FloorBuffer& bytes) const;

  private:
    bool ReadAt(std::uint64_t offset, void* bytes, std::size_t size) const;

    int file_ = -1;
    std::vector<std::uint64_t> index_;  // offset and size in bytes of each chunk, alternating
};
