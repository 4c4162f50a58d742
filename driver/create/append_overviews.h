// SPDX-License-Identifier: MIT
// Overviews of an array that an append extends.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/base/progress.h"
#include "driver/georef/raster_layout.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// A smaller level of the pyramid of an array.
struct GrowingLevel {
    std::string path;
    std::string method;  // resampling method; empty if the store does not state it
};

// The pyramid of an array that an append extends.
struct GrowingPyramid {
    std::vector<GrowingLevel> levels;  // the largest level first
    // True if the append cannot extend the overviews. A level may be read-only, have other
    // dimensions than the array, or have another number of slices.
    bool cannot_grow = false;
    // True if all slices of the levels match the array. Otherwise the append fills all of them
    // again.
    bool is_current = true;
};

// Finds the overviews that an append extends together with the array of `layout`, along the array's
// dimension `axis`, even those with another number of slices or with outdated slices.
GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis);

// Fills `bands` of all levels from `raster`, an array in update mode that has its new size. Uses
// `resampling`, or the method of each level if `resampling` is empty. The levels become overviews
// of `raster`. Returns a status without a message if GDAL has emitted the error.
zarr::Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                               const std::vector<int>& bands, const std::string& resampling,
                               const ScaledProgress& progress);

}  // namespace zarr_driver
