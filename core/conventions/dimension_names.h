// SPDX-License-Identifier: MIT
// What an array's dimensions are called, by any of the conventions.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/dimensions.h"
#include "core/conventions/level_listing.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

struct NamedDimension {
    std::string name;
    std::string group;                    // that its coordinate array is looked for in first
    AxisRole declared = AxisRole::kNone;  // by OME's axes
    bool is_named = true;                 // false for dim0, dim1, ...
    bool is_declared_in_group = false;    // and has no coordinate array elsewhere
};

// The names of each dimension: `_ARRAY_DIMENSIONS`, in the groups that NCZarr says where it has the
// same names, else NCZarr's, else the axes of the OME image that lists the array as a level, else
// dim0, dim1, ... What does not fit gives a warning, and the next is tried.
std::vector<NamedDimension> NameDimensions(const Hierarchy& hierarchy, LevelListings& listings,
                                           const std::string& path, const ArrayMetadata& metadata,
                                           const json::Value& attributes, Warnings& warnings);

}  // namespace zarr
