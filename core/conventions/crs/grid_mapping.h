// SPDX-License-Identifier: MIT
// Finds the grid mapping variable of an array (CF conventions, section 5.6).
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"

namespace zarr {

// Returns the names of variables that may be an array's grid mapping: those in the attribute
// `grid_mapping`, else "spatial_ref" and "crs".
std::vector<std::string> GridMappingNames(const json::Value& attributes);
inline constexpr const char* kGridMappingNames[] = {"spatial_ref", "crs"};

// Attributes that state a CRS, by precedence. No convention defines these attributes for data
// arrays.
inline constexpr const char* kPlainCrsNames[] = {"crs_wkt", "spatial_ref", "crs", "epsg_code",
                                                 "proj4"};
// Attributes of an array that state its CRS or name a grid mapping. StatesCrs() is true if the
// array has any of them.
inline constexpr const char* kCrsNames[] = {"_CRS",      "grid_mapping", "proj:code",
                                            "proj:epsg", "proj:wkt2",    "proj:projjson"};
bool StatesCrs(const json::Value& attributes);
// True if the attributes of a variable state a CRS, as those of a grid mapping do.
bool DescribesCrs(const json::Value& attributes);

// True if an attribute of the array or its group names the array's grid mapping.
bool NamesGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts);

// Returns the path of the grid mapping variable for an array's X and Y; empty if none is found.
// Searches attributes of the array and its group, then variables in the group and its ancestors.
//
// A variable that only other arrays name is used if one of these arrays has equal X and Y
// dimensions. If comparing dimensions needs requests to a remote store, the variable is used
// without comparison.
Fact<std::string> FindGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts);

// Returns the path of the grid mapping variable from which facts of this raster, such as a
// geotransform, may be read. Searches like FindGridMapping(), but ignores a variable in an ancestor
// group that is found only by its usual name. Gives no warnings, because FindCrsSources() does.
std::string FindOwnGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr
