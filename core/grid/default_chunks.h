// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace zarr {

// Largest chunk that DefaultChunks() makes of several elements, in bytes.
inline constexpr std::size_t kDefaultChunkBytes = std::size_t{4} << 20;

// Chunk sizes for an array of `shape` that nobody has said anything about: the whole array where it
// takes no more than kDefaultChunkBytes, else its longest sides are halved until a chunk does. Each
// is >= 1. `element_size` is in bytes.
std::vector<std::uint64_t> DefaultChunks(const std::vector<std::uint64_t>& shape,
                                         std::size_t element_size);

}  // namespace zarr
