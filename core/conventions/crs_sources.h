// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// A statement in the store that gives an array's coordinate reference system (CRS).
struct CrsSource {
    enum class Kind {
        kText,         // `text` is an authority code, WKT, PROJJSON or another definition
        kGridMapping,  // `attributes` are the parameters of a CF grid mapping
        kLongLat,      // the coordinates are longitudes and latitudes, so the CRS is WGS 84
        kBroken,       // invalid statement; `text` gives the reason
    };
    Kind kind = Kind::kText;
    std::string text;
    json::Value attributes;
    std::string origin;  // name of the attribute or variable, for messages
    std::string code;    // for kGridMapping: EPSG code in an attribute `epsg_code`, or empty
    // For kGridMapping: the unit of the coordinates, if the statement includes it. Empty if the
    // coordinate arrays state the unit.
    std::string units;
    // True for a CRS from an attribute without a convention, such as `crs`, or from a grid mapping
    // that no attribute names. If such a CRS is projected but the CF coordinates are in degrees,
    // the CRS is ignored.
    bool yields_to_degrees = false;
};

// Conditions under which longitude and latitude coordinates imply WGS 84, if the store states no
// CRS.
enum class AssumeLonglat : std::uint8_t {
    kNo,
    // Coordinates known by standard_name or units. If the root of the product states a CRS,
    // coordinates known by name, too.
    kByAttributes,
    // Coordinates known by standard_name, units or name.
    kByName,
};

// Returns all statements of an array's CRS, by precedence: `_CRS`, CF `grid_mapping`, a scalar
// `spatial_ref` or `crs` beside the data, `proj:*`, pyramid metadata, GeoKeys, attributes without a
// convention, longitude and latitude coordinates (subject to `assume_longlat`).
//
// A caller that cannot use one statement takes the next. An invalid statement is listed as kBroken,
// and gives no warning if an earlier statement is used.
std::vector<CrsSource> FindCrsSources(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      AssumeLonglat assume_longlat);

// True if `standard_name` or `units` say that a coordinate array has longitudes (or latitudes). The
// name of the array does not matter.
bool IsLongitude(const json::Value& coordinate_attributes);
bool IsLatitude(const json::Value& coordinate_attributes);

// Returns the names of variables that may be an array's grid mapping: those in the attribute
// `grid_mapping`, else "spatial_ref" and "crs".
std::vector<std::string> GridMappingNames(const json::Value& attributes);
inline constexpr const char* kGridMappingNames[] = {"spatial_ref", "crs"};

// True if `name` contains "crs", "spatial_ref" or "grid_mapping", ignoring case and punctuation.
bool IsNameOfGridMapping(const std::string& name);

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
