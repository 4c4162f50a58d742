// SPDX-License-Identifier: MIT
// Overviews of an array that an append extends.
#pragma once

#include <cstdint>
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
    // Number of first slices that match the array. Later slices must be filled again.
    std::uint64_t complete = 0;
};

// The pyramid of an array that an append extends.
struct GrowingPyramid {
    std::vector<GrowingLevel> levels;  // the largest first
    // True if the array has overviews that cannot grow, because a level has other slices.
    bool is_stuck = false;

    // Returns the number of first slices of the array that match all levels, at most `slices`.
    std::uint64_t Complete(std::uint64_t slices) const;
};

// Finds the levels that grow with the array of `layout` along its dimension `axis`. Overviews of
// GDAL may have another number of slices, or be outdated. An append that was interrupted leaves
// such overviews.
GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis);

// Fills `bands` of all levels from `raster`, an array in update mode that has its new size. Uses
// `resampling`, or the method of each level if `resampling` is empty. The levels become overviews
// of `raster`. Returns a status without a message if GDAL has emitted the error.
zarr::Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                               const std::vector<int>& bands, const std::string& resampling,
                               const ScaledProgress& progress);

}  // namespace zarr_driver
