// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/store/store.h"

namespace zarr {

// Erases the chunks of an array that lie outside of `shape`.
Status EraseChunksOutside(Store& store, const Array& array,
                          const std::vector<std::uint64_t>& shape);

// Gives an array another shape. What is cut off is gone: the chunks outside of the new shape are
// erased, and elements beyond its edge in chunks that it cuts through become the fill value, so
// that an array that grows again finds the fill value there. Whoever is killed meanwhile leaves an
// array of the old or the new shape that reads; where it shrinks, what was to be cut off may be the
// fill value already.
//
// `writer` writes the array as it is now and must not be used afterwards; nothing of it may be
// pending. The array is to be opened anew.
Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer,
                   const std::vector<std::uint64_t>& shape, std::size_t threads);

}  // namespace zarr
