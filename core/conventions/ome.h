// SPDX-License-Identifier: MIT
// The axes of OME-NGFF's images (versions 0.1 to 0.4).
#pragma once

#include <string>
#include <vector>

#include "core/conventions/dimensions.h"
#include "core/conventions/multiscales.h"

namespace zarr {

// An axis of a multiscale image.
struct OmeAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
    bool is_channel = false;
    std::string unit;
};

// The axes of the image that lists an array of `rank` dimensions as these levels; empty where it
// says none for as many. Version 0.1 has no axes and means t, c, z, y, x.
std::vector<OmeAxis> FindOmeAxes(const std::vector<MultiscaleLevel>& levels, std::size_t rank);

}  // namespace zarr
