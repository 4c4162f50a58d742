// SPDX-License-Identifier: MIT
// Digests of the files that hold the chunks of an array in a folder. They show changes by other
// programs without reading chunks.
#pragma once

#include <cstdint>
#include <string>

#include "core/array/array.h"

namespace zarr {

// Maximum number of chunks or shards, stored or absent, of an array whose files are examined.
inline constexpr std::uint64_t kMaxChunkFiles = 65536;

// Digests of the files of all chunks or shards inside of an array's grid. Empty if the store is no
// folder of files, if listing fails, or if the array has more than kMaxChunkFiles chunks.
struct ChunkFiles {
    std::string sizes;  // of names and sizes
    std::string times;  // of names and modification times
};
ChunkFiles DigestChunkFiles(const Array& array);

// Returns a digest of the modification time of the file under `key`; empty if the store is no
// folder of files or the file is absent.
std::string DigestFileTime(const Store& store, const std::string& key);

}  // namespace zarr
