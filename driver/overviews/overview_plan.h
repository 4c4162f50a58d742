// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/base/status.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

// Parsed values of the creation options OVERVIEWS and OVERVIEW_RESAMPLING.
struct OverviewPlan {
    bool is_automatic = false;
    std::vector<int> factors;
    std::string resampling = "NEAREST";

    bool IsEmpty() const { return !is_automatic && factors.empty(); }
    // Returns the reduction factors for a raster of `width` by `height` pixels. For AUTO these are
    // the factors that gdaladdo chooses.
    std::vector<int> FactorsFor(int width, int height) const;
};

// Read the values of OVERVIEWS and OVERVIEW_RESAMPLING.
zarr::Result<OverviewPlan> ReadOverviews(const GivenOption& given);
zarr::Result<std::string> ReadResampling(const GivenOption& given);

// True if `method` is NONE or a resampling method by which GDAL can build overviews.
bool IsOverviewResampling(const std::string& method);

// Returns GDAL's name of a resampling method, such as "CUBICSPLINE" for "cubic_spline". Empty if
// GDAL cannot build overviews by the method.
std::string GdalResampling(const std::string& method);

// Returns the size of an overview in pixels. The size is rounded up, so a pixel at the edge may
// cover fewer pixels of the raster.
inline int Reduced(int size, int factor) { return size / factor + (size % factor != 0 ? 1 : 0); }

}  // namespace zarr_driver
