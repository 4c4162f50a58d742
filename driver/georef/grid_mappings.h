// SPDX-License-Identifier: MIT
// Grid mappings that a group has already, for arrays that are added to it.
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"

namespace zarr_driver {

// An array without dimensions that states a CRS.
struct GridMapping {
    std::string name;  // in its group
    zarr::json::Value attributes;
    std::string code;  // of the CRS, "EPSG:32632"; empty without
};

// True where two CRS are one, however they are written: by their codes, or where one has none by
// their definitions.
bool IsSameCrs(const OGRSpatialReference& a, const OGRSpatialReference& b);

// The grid mapping in `group` that states `srs`: one of `names` if there is, else, unless
// `only_names`, any other. nullopt where there is none.
zarr::Result<std::optional<GridMapping>> FindGridMapping(const zarr::Hierarchy& hierarchy,
                                                         const std::string& group,
                                                         const std::vector<std::string>& names,
                                                         const OGRSpatialReference& srs,
                                                         bool only_names);

// True where the attribute `GeoTransform` of a grid mapping is `transform`.
bool StatesTransform(const zarr::json::Value& attributes, const zarr::GeoTransform& transform);

}  // namespace zarr_driver
