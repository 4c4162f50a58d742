// SPDX-License-Identifier: MIT
// Search for existing grid mappings in a group, for arrays that are added to the group.
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"

namespace zarr_driver {

// A scalar array that states a CRS.
struct GridMapping {
    std::string name;  // name in the group
    zarr::json::Value attributes;
    std::string code;  // authority code of the CRS, "EPSG:32632"; may be empty
};

// True if two CRS are equal: by their codes, or, if one has no code, by their definitions.
bool IsSameCrs(const OGRSpatialReference& a, const OGRSpatialReference& b);

// Returns a grid mapping in `group` that states `srs`. `names` are searched first, then, unless
// `only_names`, all scalar arrays of the group. nullopt if there is none.
zarr::Result<std::optional<GridMapping>> FindGridMapping(const zarr::Hierarchy& hierarchy,
                                                         const std::string& group,
                                                         const std::vector<std::string>& names,
                                                         const OGRSpatialReference& srs,
                                                         bool only_names);

// True if the attribute `GeoTransform` of a grid mapping equals `transform` up to rounding.
bool StatesTransform(const zarr::json::Value& attributes, const zarr::GeoTransform& transform);

}  // namespace zarr_driver
