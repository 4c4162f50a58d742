// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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

}  // namespace zarr
