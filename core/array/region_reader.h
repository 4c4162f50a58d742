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

// Reads a region, which must be inside the array, into `destination`; chunks are read in parallel.
// `offset` is the position in bytes of the wanted part within each element. For kObject the
// converter receives ObjectRefs that are valid only during its call. `wants_rest` hints that the
// rest of the region's chunks will be needed soon.
Status ReadRegion(const Array& array, const Region& region, std::size_t offset,
                  const Destination& destination, const ReadOptions& options, bool wants_rest);

// Loads the chunks of a region into the cache.
Status PreloadRegion(const Array& array, const Region& region, std::size_t threads);

// Returns how many chunks a call may read or write concurrently if `threads` threads may decode or
// encode. The result is greater than `threads` for remote stores. Memory limits the result: each
// chunk counts as `copies` times its decoded size.
std::size_t MaxConcurrentChunks(const Array& array, std::size_t threads, std::size_t copies = 1);

}  // namespace zarr
