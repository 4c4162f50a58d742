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

// Form of chunk keys: "0.1" as in Zarr v2, or with the prefix "c", as in Zarr v3's default "c/0/1"
// (specification, "Default chunk key encoding").
struct ChunkKeyEncoding {
    char separator = '.';
    bool has_prefix = false;

    ChunkKeyEncoding() = default;
    ChunkKeyEncoding(char joined_by,
                     bool with_prefix = false)  // NOLINT(google-explicit-constructor)
        : separator(joined_by), has_prefix(with_prefix) {}
};

// Returns a chunk's key: the array's path, "/", and the chunk's indices joined by the separator.
// Without dimensions, "0" stands for the indices, or nothing after the prefix "c" (Zarr v2
// specification, "Chunks").
std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     const ChunkKeyEncoding& encoding);

// Returns the chunk's indices from `name`, its key without the array's path; the inverse of
// ChunkKey(). Returns nullopt if no chunk of an array with `rank` dimensions has this name.
std::optional<DimVector<std::uint64_t>> ParseChunkName(std::string_view name, std::size_t rank,
                                                       const ChunkKeyEncoding& encoding);

// True if `name` looks like a chunk's key without the array's path, or like the first segment of
// such a key. Examples are "0" and "12.3"; with a prefix, "c" and "c.12.3".
bool LooksLikeChunk(std::string_view name, bool has_prefix = false);

// Returns the indices as text for messages: "[3, 4]".
std::string ChunkText(const DimVector<std::uint64_t>& chunk);

// Maximum size in bytes of a chunk that DefaultChunks() chooses, unless a single element is larger.
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{4} << 20;

// Returns a default chunk shape for an array of `shape` with elements of `element_size` bytes.
// Halves the longest sides until the chunk has at most kDefaultChunkBytes; each size is >= 1.
std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size);

// Maximum size in bytes of a shard that DefaultShard() makes of several chunks.
inline constexpr std::uint64_t kDefaultShardBytes = std::uint64_t{64} << 20;

// Returns a default shard shape for an array of `shape` with chunks of shape `chunks`. Doubles the
// size of one chunk along the last two dimensions, then along the others, up to the array's size
// and kDefaultShardBytes. `element_size` is in bytes.
std::vector<std::uint64_t> DefaultShard(const std::vector<std::uint64_t>& shape,
                                        const std::vector<std::uint64_t>& chunks,
                                        std::uint64_t element_size);

}  // namespace zarr
