// SPDX-License-Identifier: MIT
// Finds existing grid mappings in a group, so that new arrays in the group can use them.
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/crs/geotransform.h"
#include "core/conventions/crs/grid_mapping.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"

namespace zarr_driver {

// A grid mapping as CF defines it: a scalar array whose attributes state a CRS.
struct GridMapping {
    std::string name;  // name of the grid mapping in the group
    zarr::json::Value attributes;
    std::string code;  // code of the CRS, such as "EPSG:32632"; may be empty
};

// True if two CRS are equal. Compares their codes, or their definitions if one of them has no code.
bool IsSameCrs(const OGRSpatialReference& a, const OGRSpatialReference& b);

// Returns a grid mapping in `group` that states `srs`. Searches `names` first, and then all scalar
// arrays of the group unless `only_names` is true. Returns nullopt if no grid mapping states `srs`.
zarr::Result<std::optional<GridMapping>> FindGridMapping(const zarr::Hierarchy& hierarchy,
                                                         const std::string& group,
                                                         const std::vector<std::string>& names,
                                                         const OGRSpatialReference& srs,
                                                         bool only_names);

// True if the attribute `GeoTransform` of a grid mapping equals `transform` up to rounding.
bool StatesTransform(const zarr::json::Value& attributes, const zarr::GeoTransform& transform);

}  // namespace zarr_driver
