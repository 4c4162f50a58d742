// SPDX-License-Identifier: MIT
// Finds arrays, such as coordinates and levels, whose size differs from the size of the extended
// array because an append was interrupted.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/create/append_overviews.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

// Arrays that have a wrong size along the extended dimension. The size of the extended array itself
// is right, because an append writes it last. Coordinates and levels are too long after an
// interrupted append. Levels are too short if a later append did not extend them.
struct AppendRepair {
    // Metadata by path. `stored` has the metadata as stored; `repaired` has the metadata with the
    // size of the extended array.
    std::map<std::string, zarr::ArrayMetadata> stored;
    std::map<std::string, zarr::ArrayMetadata> repaired;
    // Number of coordinates of the extended dimension, if another array has as many slices and the
    // extended array has fewer. Otherwise 0.
    std::uint64_t shared_coordinates = 0;
    std::string user;  // path of the other array that uses the coordinates, or ""
};

// Returns the arrays that have a wrong size along dimension `axis` of the array of `layout`.
// Examines the coordinates and the mask of this array, and the levels of `pyramid`.
zarr::Result<AppendRepair> FindInterruptedAppend(const zarr::Hierarchy& hierarchy,
                                                 const RasterLayout& layout, std::size_t axis,
                                                 const GrowingPyramid& pyramid);

}  // namespace zarr_driver
