// SPDX-License-Identifier: MIT
// Overviews of an array that an append extends.
#pragma once

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
    // Path of the level's own coordinates along the extended dimension. Empty if the level has
    // none, or shares those of the array.
    std::string coordinate_path;
    std::string method;  // resampling method; empty if the store does not state it
};

// The pyramid of an array that an append extends.
struct GrowingPyramid {
    std::vector<GrowingLevel> levels;  // the largest first
    // True if the array has overviews that cannot grow, because a level has other slices.
    bool is_stuck = false;
};

// Finds the levels that grow with the array of `layout` along its dimension `axis`. Overviews that
// are outdated already do not count.
GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis);

// Fills `bands` of all levels from `raster`, an array in update mode that has its new size. Uses
// `resampling`, or the method of each level if `resampling` is empty. The levels become overviews
// of `raster`. Returns a status without a message if GDAL has emitted the error.
zarr::Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                               const std::vector<int>& bands, const std::string& resampling,
                               const ScaledProgress& progress);

}  // namespace zarr_driver
