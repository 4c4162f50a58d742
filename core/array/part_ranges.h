// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "core/array/region_split.h"
#include "core/codec/codec.h"
#include "core/grid/region.h"

namespace zarr {

// Which bytes of a chunk, as it is decoded, a part of `region` wants: of each element the `size`
// bytes from `offset` on. None where they are many, or a large part of the chunk, so that taking
// all of it costs as little. The part has its layout.
ByteRanges WantedRanges(const ChunkPart& part, const Region& region, std::size_t offset,
                        std::size_t size);

}  // namespace zarr
