// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// An array with one coordinate, X or Y, of each pixel, or of each column or row.
struct GeolocationArray {
    // A dimension before the rows and columns, such as time.
    struct Leading {
        std::string name;
        std::uint64_t size = 0;
        // Index of the raster's dimension with this name and size; nullopt if none.
        std::optional<std::size_t> of_raster;
    };
    ArrayFacts facts;
    std::vector<Leading> leading;  // slowest-varying first
};

// Two arrays that locate each pixel. Both have the raster's rows and columns (a curvilinear grid or
// swath), or one has the columns and the other the rows (irregular axes).
struct Geolocation {
    enum class Kind : std::uint8_t {
        kLongLat,  // longitudes and latitudes
        kInCrs,    // coordinates in the array's CRS
    };
    Kind kind = Kind::kLongLat;
    bool is_along_axes = false;  // one array has the columns, the other the rows
    GeolocationArray x;
    GeolocationArray y;
};

// Finds the geolocation arrays of a raster; nullopt if there are none. Candidates are the arrays
// that the attribute `coordinates` of the array or its group names. Their last two dimensions must
// be the raster's rows and columns. Next come the 1-D coordinate arrays of X and Y. standard_name
// and units decide whether an array holds longitudes or latitudes; names decide only without both.
// Coordinates in the CRS, for example in metres, are used only if no longitudes and latitudes are
// named.
std::optional<Geolocation> FindGeolocation(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr
