// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// An array of one coordinate of each pixel, or of each column or row.
struct GeolocationArray {
    // A dimension before the rows and columns of the array, such as time.
    struct Leading {
        std::string name;
        std::uint64_t size = 0;
        std::optional<std::size_t> of_raster;  // the raster's dimension with this name and size
    };
    ArrayFacts facts;
    std::vector<Leading> leading;  // slowest first
};

// Arrays that place each pixel: both of the raster's own two dimensions (a curvilinear grid or
// swath), or one of each dimension (irregular axes).
struct Geolocation {
    enum class Kind : std::uint8_t {
        kLongLat,  // longitudes and latitudes
        kInCrs,    // coordinates of the array's CRS
    };
    Kind kind = Kind::kLongLat;
    bool is_along_axes = false;  // one of each dimension
    GeolocationArray x;
    GeolocationArray y;
};

// Finds arrays of two dimensions, or more of which the last two are the raster's, that the
// attribute `coordinates` of the array or its group names; else the coordinate arrays of X and Y.
// standard_name and units tell longitudes and latitudes, names only where neither says anything.
// Coordinates of the CRS, as metres are, count where no longitudes and latitudes are named.
std::optional<Geolocation> FindGeolocation(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr
