// SPDX-License-Identifier: MIT
// Interfaces that write references to the values of a store.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/reference.h"

namespace zarr {

// A file that is written from its start to its end. Not thread-safe.
class ByteSink {
  public:
    virtual ~ByteSink() = default;
    virtual Status Write(ByteSpan bytes) = 0;
};

// A chunk, or a shard, of the array at `array`. Paths and keys start at the root of the references.
struct ReferenceChunk {
    std::string array;         // path of the array
    std::string key;           // key of the chunk
    std::uint64_t number = 0;  // row-major number of the chunk in its array
};

// Writes the documents of a store, and references to its chunks. Not thread-safe.
class ReferenceWriter {
  public:
    virtual ~ReferenceWriter() = default;

    // Begins to write. `most_chunks` is the number of chunks in the largest grid of all arrays.
    virtual Status Begin(std::uint64_t most_chunks) = 0;
    // Writes a metadata document unchanged.
    virtual Status AddDocument(const std::string& key, std::string_view text) = 0;
    // Writes the reference of a chunk. `reference` must not be absent. Chunks of one array must
    // come one after another, in ascending order of their numbers.
    virtual Status AddChunk(const ReferenceChunk& chunk, const Reference& reference) = 0;
    // Writes everything that is still in memory. No other method may be called afterwards.
    virtual Status Finish() = 0;
};

}  // namespace zarr
