// SPDX-License-Identifier: MIT
#pragma once

#include "core/array/region_plan.h"
#include "core/codec/codec.h"

namespace zarr {

// The bytes of a decoded chunk that a piece is made of: `walk` is its way through the chunk,
// `offset` and `size` say which part of each element is wanted. None where they are many, or a
// large part of the chunk, so that it is as well to take all of it.
ByteRanges RangesOf(const RegionPiece& piece, const ChunkWalk& walk, std::size_t offset,
                    std::size_t size, std::size_t chunk_bytes);

}  // namespace zarr
