// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "core/array/array.h"
#include "core/base/status.h"
#include "core/grid/copy.h"
#include "core/grid/grid_axis.h"
#include "core/grid/region.h"

namespace zarr {

// Reads a region, which lies inside the array: splits it at the chunk boundaries and brings each
// part to its place, in parallel. `offset` is the place of the wanted part in an element. Of
// kObject the converter gets ObjectRefs, whose texts live as long as its call. `wants_rest` says
// that the rest of the region's chunks will be wanted soon.
Status ReadRegion(const Array& array, const Region& region, std::size_t offset,
                  const Destination& destination, const ReadOptions& options, bool wants_rest);

// Brings the chunks of a region into the cache.
Status PreloadRegion(const Array& array, const Region& region, std::size_t threads);

// Chunks that are read or written at the same time by a call that may use so many threads: more,
// where the store takes a while for each, as far as they do not take too much memory when each is
// there `copies` times.
std::size_t ChunksAtOnce(const Array& array, std::size_t threads, std::size_t copies = 1);

}  // namespace zarr
