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

// Spelling of chunk keys: "0.1" as in Zarr v2, or with the prefix "c", as in Zarr v3's default
// "c/0/1" (specification, "Default chunk key encoding").
struct ChunkKeyEncoding {
    char separator = '.';
    bool has_prefix = false;

    ChunkKeyEncoding() = default;
    ChunkKeyEncoding(char joined_by,
                     bool with_prefix = false)  // NOLINT(google-explicit-constructor)
        : separator(joined_by), has_prefix(with_prefix) {}
};

// Returns a chunk's key: the array's path, "/", and the chunk's indices joined by the separator.
// For an array without dimensions the name is "0", or only "c" with a prefix (Zarr v2
// specification, "Chunks"). No other function spells chunk keys.
std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     const ChunkKeyEncoding& encoding);

// Inverse of ChunkKey(): returns the chunk's indices from `name`, its key without the array's path.
// nullopt if no chunk of an array with `rank` dimensions has this name.
std::optional<DimVector<std::uint64_t>> ParseChunkName(std::string_view name, std::size_t rank,
                                                       const ChunkKeyEncoding& encoding);

// True if `name` looks like a chunk's key without the array's path, or like the first segment of
// one: "0", "12.3"; with a prefix "c", "c.12.3".
bool LooksLikeChunk(std::string_view name, bool has_prefix = false);

// Returns the indices as text for messages: "[3, 4]".
std::string ChunkText(const DimVector<std::uint64_t>& chunk);

// Maximum size in bytes of a chunk that DefaultChunks() chooses, unless a single element is larger.
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{4} << 20;

// Returns a default chunk shape for an array of `shape` with elements of `element_size` bytes. The
// whole array is one chunk if it has at most kDefaultChunkBytes. Otherwise the longest sides are
// halved until a chunk fits. Each size is >= 1.
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
