// SPDX-License-Identifier: MIT
// The axes of OME-NGFF's images (versions 0.1 to 0.4).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/dimensions.h"

namespace zarr {

// An axis of a multiscale image.
struct OmeAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
    std::string unit;
};

// The axes of the image that the group's `multiscales` describe, for its level `name` of `rank`
// dimensions; empty where the group describes no such level. Version 0.1 has no axes and means
// t, c, z, y, x.
std::vector<OmeAxis> FindOmeAxes(const json::Value& group_attributes, std::string_view name,
                                 std::size_t rank);

}  // namespace zarr
