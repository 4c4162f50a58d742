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
    // Number of slices, from the first slice on, whose pixels match the array. All later slices
    // must be filled again.
    std::uint64_t complete = 0;
};

// The pyramid of an array that an append extends.
struct GrowingPyramid {
    std::vector<GrowingLevel> levels;  // the largest level first
    // True if the array has overviews that cannot grow, because the slices of a level differ from
    // those of the array.
    bool cannot_grow = false;

    // Returns how many slices of the array, from the first on, match all levels; at most `slices`.
    std::uint64_t Complete(std::uint64_t slices) const;
};

// Finds the levels that grow with the array of `layout` along its dimension `axis`. Overviews that
// GDAL has built may have another number of slices than the array, or be outdated, because an
// interrupted append leaves such overviews.
GrowingPyramid FindGrowingPyramid(const zarr::Hierarchy& hierarchy, const RasterLayout& layout,
                                  std::size_t axis);

// Fills `bands` of all levels from `raster`, an array in update mode that has its new size. Uses
// `resampling`, or the method of each level if `resampling` is empty. The levels become overviews
// of `raster`. Returns a status without a message if GDAL has emitted the error.
zarr::Status FillGrowingLevels(ZarrDataset& raster, const GrowingPyramid& pyramid,
                               const std::vector<int>& bands, const std::string& resampling,
                               const ScaledProgress& progress);

}  // namespace zarr_driver
