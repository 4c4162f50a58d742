// SPDX-License-Identifier: MIT
// A shard of Zarr v3 as a file, for the lower bound of the benchmarks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "autotest/benchmark/floor_codec.h"

// A shard that is open for reading. ReadChunk() may be called by several threads at once.
class FloorShard {
  public:
    FloorShard() = default;
    ~FloorShard();
    FloorShard(const FloorShard&) = delete;
    FloorShard& operator=(const FloorShard&) = delete;

    // Opens the file and reads the index of its `chunks` chunks, which lies at the end with its
    // CRC-32C. False where that fails.
    bool Open(const std::string& path, std::size_t chunks);

    // Reads the stored bytes of the chunk at a place of the index. False where it is absent or
    // cannot be read.
    bool ReadChunk(std::size_t place, FloorBuffer& bytes) const;

  private:
    bool ReadAt(std::uint64_t offset, void* bytes, std::size_t size) const;

    int file_ = -1;
    std::vector<std::uint64_t> index_;  // offset and size of each chunk
};
