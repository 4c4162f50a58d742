// SPDX-License-Identifier: MIT
// Reads the position of an image from the tags of GeoTIFF (OGC 19-008r4): geotransform, ground
// control points and CRS.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/crs/crs_source.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Attributes with the tags of a TIFF file that contains an array.
struct GeoTiffTags {
    json::Value attributes;
    std::string where;  // "", or the group that has the attributes, such as "group /a, "
    // Pixel width and height of the array, in pixels of the file's largest image.
    double x_factor = 1;
    double y_factor = 1;
};

// Returns the tags that apply to an array with X and Y: those of the array, else those of the group
// that lists the array as a level of a pyramid. Returns nullopt if there are none.
std::optional<GeoTiffTags> FindGeoTiffTags(const Hierarchy& hierarchy, const ArrayFacts& facts);

// Returns the geotransform that ModelTiepoint with ModelPixelScale, or ModelTransformation, give.
// If GTRasterType says that coordinates are those of pixel centres, the result is shifted by half a
// pixel. Invalid tags give a warning.
std::optional<AffineSource> ReadGeoTiffTransform(const GeoTiffTags& tags, Warnings& warnings);

// Returns the ground control points that ModelTiepoint gives without ModelPixelScale and
// ModelTransformation.
std::vector<GroundControlPoint> ReadGeoTiffPoints(const GeoTiffTags& tags, Warnings& warnings);

// Returns the CRS that the GeoKeys state: an EPSG code, WKT of ESRI, or the parameters of a
// user-defined CRS as a grid mapping. If a GeoKey is not supported, the result is a kBroken source
// that names the GeoKey. Empty if no GeoKey states a CRS.
std::vector<CrsSource> ReadGeoTiffCrs(const GeoTiffTags& tags);

}  // namespace zarr
