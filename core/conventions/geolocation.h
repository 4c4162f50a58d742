// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// Arrays that give each pixel its longitude and latitude: both of the raster's own two dimensions
// (a curvilinear grid or swath), or one of each dimension (irregular axes).
struct Geolocation {
    std::string longitude_path;
    std::string latitude_path;
};

// 2-D arrays named by the attribute `coordinates` of the array or its group, else 1-D coordinate
// arrays that are longitudes and latitudes.
std::optional<Geolocation> FindGeolocation(const Hierarchy& hierarchy, const ArrayFacts& facts);

// A point of a product's ground control, in pixels from the raster's corner and degrees.
struct GroundControlPoint {
    double pixel = 0;
    double line = 0;
    double longitude = 0;
    double latitude = 0;
    double height = 0;
};

// EOPF Sentinel-1: the arrays conditions/gcp/{pixel,line,latitude,longitude,height} of a group
// above the array, an image that they are of. Empty where there are none, and for smaller arrays of
// the product; broken ones give a warning.
std::vector<GroundControlPoint> FindGroundControl(const Hierarchy& hierarchy,
                                                  const ArrayFacts& facts, std::size_t threads,
                                                  Warnings& warnings);

}  // namespace zarr
