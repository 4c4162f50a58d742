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

// The key of a chunk: the array's path, then the chunk's indices joined by `separator`, "0" for an
// array without dimensions (Zarr v2 specification, "Chunks"). The only place that spells them.
std::string ChunkKey(std::string_view array_path, const DimVector<std::uint64_t>& chunk,
                     char separator);

// The indices of a chunk whose key is the array's path and `name`; nullopt where no chunk of `rank`
// dimensions has such a key.
std::optional<DimVector<std::uint64_t>> ParseChunkName(std::string_view name, std::size_t rank,
                                                       char separator);

// "0", "12.3": true for a chunk's key without the array's path, or the first part of one.
bool LooksLikeChunk(std::string_view name);

// "[3, 4]", for messages.
std::string ChunkText(const DimVector<std::uint64_t>& chunk);

// Largest chunk that DefaultChunks() makes of several elements, in bytes.
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{4} << 20;

// Chunk sizes for an array of `shape` for which no chunks were given: the whole array where it
// takes no more than kDefaultChunkBytes, else its longest sides are halved until a chunk does. Each
// is >= 1. `element_size` is in bytes.
std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size);

}  // namespace zarr
