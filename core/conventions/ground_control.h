// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/conventions/array_facts.h"

namespace zarr {

// A ground control point: a position in pixels from the raster's corner, and its coordinates.
struct GroundControlPoint {
    double pixel = 0;
    double line = 0;
    double x = 0;
    double y = 0;
    double height = 0;
};

// EOPF Sentinel-1: the arrays conditions/gcp/{pixel,line,latitude,longitude,height} of a group
// above the array, an image that they are of, in degrees of WGS 84. Empty if there are none, and
// for smaller arrays of the product; broken ones give a warning.
std::vector<GroundControlPoint> FindGroundControl(const Hierarchy& hierarchy,
                                                  const ArrayFacts& facts, std::size_t threads,
                                                  Warnings& warnings);

// False for a raster that is smaller than the one that the points were made for. The last points
// may lie beyond the end of their raster.
bool ArePointsOf(const ArrayFacts& facts, const std::vector<GroundControlPoint>& points);

// rioxarray: the attribute `gcps` of the array's grid mapping, GeoJSON as an object or as text,
// whose coordinates are in the CRS of the grid mapping. Pixels and lines are of the raster that
// the points were made for. Empty if there are none; broken ones give a warning.
std::vector<GroundControlPoint> FindStatedPoints(const Hierarchy& hierarchy,
                                                 const ArrayFacts& facts, Warnings& warnings);

}  // namespace zarr
