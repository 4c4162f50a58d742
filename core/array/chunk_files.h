// SPDX-License-Identifier: MIT
// Digests of the files that hold the chunks of an array. They show changes by other programs
// without reading chunks.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/array/array.h"

namespace zarr {

// Maximum number of chunks or shards, stored or absent, of an array whose files are examined; and
// of folders whose times stand for more chunks.
inline constexpr std::uint64_t kMaxChunkFiles = 65536;

// The files of all chunks or shards inside of an array's grid, or the parts of other files that
// references name.
struct ChunkFiles {
    // Digest of the files' names and sizes. Empty if the files are unknown: the store has no files
    // or is remote, listing fails, or there may be more than kMaxChunkFiles chunks, except in a zip
    // file or in memory.
    std::string sizes;
    // Digest of names and modification times of files in a folder; of names and checksums of values
    // in a zip file or in memory; of names and the places in files that references state. If a
    // folder may have too many chunks, only the times of the folders that chunks are in.
    std::string times;
    bool are_in_folder = false;
    // Modification times of the oldest and the newest file, in nanoseconds since 1970, also of the
    // files that references name. The initial
    // values mean that no time is known. If the files of a folder are unknown, the newest time is
    // the largest number, because any of them may be new.
    std::int64_t oldest = std::numeric_limits<std::int64_t>::max();
    std::int64_t newest = std::numeric_limits<std::int64_t>::min();
};
ChunkFiles ListChunkFiles(const Array& array);

// Returns the modification time of the file under `key`, in nanoseconds since 1970. nullopt if the
// store is neither a folder nor in memory, or the key is absent.
std::optional<std::int64_t> FileTime(const Store& store, const std::string& key);

}  // namespace zarr
