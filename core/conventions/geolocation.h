// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// An array with the X or the Y coordinate of each pixel, or of each column or row.
struct GeolocationArray {
    // A dimension before the rows and columns of the array, such as time.
    struct Leading {
        std::string name;
        std::uint64_t size = 0;
        // Index of the raster's dimension with this name and size; nullopt if the raster has no
        // such dimension.
        std::optional<std::size_t> of_raster;
    };
    ArrayFacts facts;
    std::vector<Leading> leading;  // slowest-varying first
};

// Two arrays that locate each pixel of a raster. In a curvilinear grid or swath, both have the
// raster's rows and columns. With irregular axes, one array has only the columns and the other only
// the rows.
struct Geolocation {
    enum class Kind : std::uint8_t {
        kLongLat,  // longitudes and latitudes
        kInCrs,    // coordinates in the array's CRS
    };
    Kind kind = Kind::kLongLat;
    bool is_along_axes = false;  // true if one array has the columns, the other the rows
    GeolocationArray x;
    GeolocationArray y;
};

// Finds the geolocation arrays of a raster; returns nullopt if there are none. First candidates are
// the arrays that the attribute `coordinates` of the array or its group names. Their last two
// dimensions must be the raster's rows and columns. Next candidates are the 1-D coordinate arrays
// of X and Y.
//
// The attributes standard_name and units decide whether an array holds longitudes or latitudes. The
// array's name decides only if both attributes are absent. Coordinates in the CRS, for example in
// metres, are used only if no longitudes and latitudes are named. Adds a warning for each array
// that is named and invalid.
std::optional<Geolocation> FindGeolocation(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                           Warnings& warnings);

}  // namespace zarr
