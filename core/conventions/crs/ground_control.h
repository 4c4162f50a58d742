// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Finds the ground control points of an EOPF Sentinel-1 image, in degrees of WGS 84. The points are
// the arrays conditions/gcp/{pixel,line,latitude,longitude,height} in an ancestor group. Empty if
// there are no points, or if the raster `facts` is smaller than the image. Invalid points give a
// warning.
std::vector<GroundControlPoint> FindGroundControl(const Hierarchy& hierarchy,
                                                  const ArrayFacts& facts, std::size_t threads,
                                                  Warnings& warnings);

// True if no point lies more than 10 % of the raster's size outside the raster. Points farther
// outside were made for a larger raster.
bool ArePointsForRaster(const ArrayFacts& facts, const std::vector<GroundControlPoint>& points);

// Finds ground control points that rioxarray wrote: the attribute `gcps` of the grid mapping, as
// GeoJSON object or text. Without them, the tie points of a TIFF file. Coordinates are in the CRS
// of the array. Pixel and line refer to the raster that the points were made for. Empty if there
// are no points; invalid points give a warning.
std::vector<GroundControlPoint> FindStatedPoints(const Hierarchy& hierarchy,
                                                 const ArrayFacts& facts, Warnings& warnings);

}  // namespace zarr
