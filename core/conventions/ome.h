// SPDX-License-Identifier: MIT
// OME-NGFF's multiscales and their axes (versions 0.1 to 0.4); ndpyramid lists its levels alike.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/dimensions.h"

namespace zarr {

// A level that the `multiscales` of a group list: the multiscale, and its entry for the level. Both
// borrow from the group's attributes.
struct MultiscaleLevel {
    const json::Value* multiscale = nullptr;
    const json::Value* dataset = nullptr;
};

// Every listing of the level `name`, an array or group directly in the group.
std::vector<MultiscaleLevel> FindLevels(const json::Value& group_attributes, std::string_view name);

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
