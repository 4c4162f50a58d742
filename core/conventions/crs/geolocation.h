// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr {

// An array with the X or the Y coordinate of each pixel, or of each column or each row, of a
// raster.
struct GeolocationArray {
    // A dimension of a coordinate array before its rows and columns, such as time.
    struct Leading {
        std::string name;
        std::uint64_t size = 0;
        // Index of the dimension of the raster that has this name and size; nullopt if there is
        // none.
        std::optional<std::size_t> of_raster;
    };
    ArrayFacts facts;
    std::vector<Leading> leading;  // slowest-varying dimension first
};

// Two coordinate arrays that locate each pixel of a raster. Both have the raster's rows and columns
// in a curvilinear grid or swath. Otherwise one has the columns, and the other the rows.
struct Geolocation {
    enum class Kind : std::uint8_t {
        kLongLat,  // the arrays contain longitudes and latitudes
        kInCrs,    // the arrays contain coordinates in the CRS of the raster
    };
    Kind kind = Kind::kLongLat;
    bool is_along_axes = false;  // true if one array has only columns, the other only rows
    GeolocationArray x;
    GeolocationArray y;
};

// Names of arrays in the group of a raster that are taken as longitudes and latitudes of its pixels
// although no attribute names them.
inline constexpr const char* kGeolocationNames[] = {"longitude", "latitude", "lon", "lat"};

// Returns kX for longitudes and kY for latitudes, if `name` is one of kGeolocationNames and
// `attributes` do not contradict the name; else kNone.
AxisRole GeolocationRole(const json::Value& attributes, std::string_view name);

// False if the attributes of an array or its group state a CRS or a geotransform. The arrays with
// kGeolocationNames are then not tried.
bool MayBeLocatedByNames(const json::Value& attributes, const json::Value& group_attributes);

// Finds two arrays that locate each pixel of a raster; nullopt if there are none. Candidates are
// the arrays named by the attribute `coordinates` of the array or its group, if their last two
// dimensions are the raster's rows and columns. The next candidates are the 1-D coordinate arrays
// of X and Y. If X and Y have none, the last ones are the arrays with kGeolocationNames, subject to
// MayBeLocatedByNames().
//
// The attributes standard_name and units decide whether an array holds longitudes or latitudes. The
// array's name decides only if both attributes are absent. Coordinates in the CRS, for example in
// metres, are used only if no longitudes and latitudes are named. Adds a warning for each array
// that is named and invalid.
Fact<std::optional<Geolocation>> FindGeolocation(const Hierarchy& hierarchy,
                                                 const ArrayFacts& facts);

// Returns `facts` with coordinates for X and Y that have none: a 1-D array along the dimension that
// the attribute `coordinates` of the array or its group names, such as lat(y). Attributes or names
// must say that the array is a coordinate of X or Y.
ArrayFacts WithAuxiliaryAxes(const Hierarchy& hierarchy, ArrayFacts facts);

}  // namespace zarr
