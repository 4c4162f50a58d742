// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/dim_vector.h"

namespace zarr {

// How the keys of chunks are spelled: as Zarr v2 has them ("0.1"), or with a prefix, as is the
// default in Zarr v3 ("c/0/1"; its specification, "Default chunk key encoding").
struct ChunkKeyEncoding {
    char separator = '.';
    bool has_prefix = false;

    ChunkKeyEncoding() = default;
    ChunkKeyEncoding(char joined_by,
                     bool with_prefix = false)  // NOLINT(google-explicit-constructor)
        : separator(joined_by), has_prefix(with_prefix) {}
};

// The key of a chunk: the array's path, then the chunk's indices joined by the separator, "0" for
// an array without dimensions (Zarr v2 specification, "Chunks"), after the prefix "c" where there
// is one, which is all of the name then. The only place that spells them.
std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     const ChunkKeyEncoding& encoding);

// The indices of a chunk whose key is the array's path and `name`; nullopt where no chunk of `rank`
// dimensions has such a key.
std::optional<DimVector<std::uint64_t>> ParseChunkName(std::string_view name, std::size_t rank,
                                                       const ChunkKeyEncoding& encoding);

// "0", "12.3": true for a chunk's key without the array's path, or the first part of one; with a
// prefix "c", "c.12.3".
bool LooksLikeChunk(std::string_view name, bool has_prefix = false);

// "[3, 4]", for messages.
std::string ChunkText(const DimVector<std::uint64_t>& chunk);

// Largest chunk that DefaultChunks() makes of several elements, in bytes.
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{4} << 20;

// Chunk sizes for an array of `shape` for which no chunks were given: the whole array where it
// takes no more than kDefaultChunkBytes, else its longest sides are halved until a chunk does. Each
// is >= 1. `element_size` is in bytes.
std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size);

// Largest shard that DefaultShard() makes of several chunks, in bytes.
inline constexpr std::uint64_t kDefaultShardBytes = std::uint64_t{64} << 20;

// Shape of the shards of an array of `shape` for which only the shape of the chunks was given. A
// shard is one chunk, doubled along the last two dimensions, then along the others, while it takes
// at most kDefaultShardBytes and is smaller than the array. `element_size` is in bytes.
std::vector<std::uint64_t> DefaultShard(const std::vector<std::uint64_t>& shape,
                                        const std::vector<std::uint64_t>& chunks,
                                        std::uint64_t element_size);

}  // namespace zarr
