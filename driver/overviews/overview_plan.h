// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <string>
#include <vector>

#include "core/base/status.h"

namespace zarr_driver {

// The creation options OVERVIEWS and OVERVIEW_RESAMPLING.
struct OverviewPlan {
    bool is_automatic = false;
    std::vector<int> factors;
    std::string resampling = "NEAREST";

    // `options` is GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
    static zarr::Result<OverviewPlan> Parse(CSLConstList options);

    bool IsEmpty() const { return !is_automatic && factors.empty(); }
    // The factors for a raster of this size in pixels; AUTO chooses those of gdaladdo.
    std::vector<int> FactorsFor(int width, int height) const;
};

// True for the resampling methods that GDAL builds overviews with, and for NONE.
bool IsOverviewResampling(const std::string& method);

// The size of an overview: a pixel at the edge may cover fewer pixels of the raster.
inline int Reduced(int size, int factor) { return size / factor + (size % factor != 0 ? 1 : 0); }

}  // namespace zarr_driver
