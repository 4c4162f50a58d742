// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/array/region_split.h"
#include "core/codec/codec.h"
#include "core/grid/region.h"

namespace zarr {

// Returns the ranges of decoded bytes that `part` needs: `size` bytes at `offset` of each element.
// Returns no ranges if decoding the whole chunk would cost no more than decoding the ranges.
// `part.layout` must be set.
ByteRanges WantedRanges(const ChunkPart& part, const Region& region, std::size_t offset,
                        std::size_t size);

}  // namespace zarr
