// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// One statement of an array's coordinate reference system.
struct CrsSource {
    enum class Kind {
        kText,         // `text` is an authority code, WKT, PROJJSON or another name of a CRS
        kGridMapping,  // `attributes` are the parameters of a CF grid mapping
        kLongLat,      // WGS 84, as the coordinates are longitudes and latitudes
        kBroken,       // a statement that cannot be used; `text` says why
    };
    Kind kind = Kind::kText;
    std::string text;
    json::Value attributes;
    std::string origin;  // the attribute, for messages
    std::string code;    // of a grid mapping, the code that its CRS is said to have
    // True for an attribute that no convention defines, such as `crs`, and for a grid mapping that
    // nothing names: coordinates that CF says are degrees count before a projected CRS of these.
    bool yields_to_degrees = false;
};

// Whether coordinates that are longitudes and latitudes mean WGS 84 where nothing else is said.
enum class AssumeLonglat : std::uint8_t {
    kNo,
    kAsSaid,  // by standard_name or units; by their names in a product of which the root has a CRS
    kByName,  // by their names as well
};

// Every statement that the conventions make of the array's CRS, the one that counts most first:
// `_CRS`, CF `grid_mapping`, a scalar `spatial_ref` or `crs` beside the data, `proj:*`, pyramids'
// own, plain attributes, longitude and latitude coordinates (the last as `assume_longlat` says).
// Nothing is interpreted: a caller that cannot use one takes the next. Statements that are broken
// have their place among the others, so that one that does not matter causes no warning.
std::vector<CrsSource> FindCrsSources(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      AssumeLonglat assume_longlat);

// True where a coordinate array's attributes make it longitudes, or latitudes: by standard_name or
// units, not by its name.
bool IsLongitude(const json::Value& coordinate_attributes);
bool IsLatitude(const json::Value& coordinate_attributes);

// The variables that may be an array's grid mapping, by its attributes: those that `grid_mapping`
// names, and without it those that others give such variables.
std::vector<std::string> GridMappingNames(const json::Value& attributes);
inline constexpr const char* kGridMappingNames[] = {"spatial_ref", "crs"};

// True where an attribute of the array or its group names the array's grid mapping.
bool NamesGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts);

// The grid mapping variable that belongs to the array's X and Y, as the attribute of the array or
// its group or the variables beside the array tell; empty where there is none. A variable beside it
// that other arrays of the group name, and the array does not, is the array's where it shares X and
// Y with one of these. That is looked at only where the members of the group are at hand.
std::string FindGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts,
                            Warnings& warnings);

// FindGridMapping() for what holds for this raster alone, as a geotransform: empty for a variable
// of a group above that is found by its usual name.
std::string FindOwnGridMapping(const Hierarchy& hierarchy, const ArrayFacts& facts,
                               Warnings& warnings);

}  // namespace zarr
