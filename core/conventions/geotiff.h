// SPDX-License-Identifier: MIT
// Reads the tags of GeoTIFF (OGC 19-008r4) that kerchunk and virtual-tiff copy from a TIFF file
// into attributes. kerchunk spells a GeoKey "ProjLinearUnitsGeoKey", virtual-tiff
// "proj_linear_units".
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/affine.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/attributes.h"
#include "core/conventions/crs_sources.h"
#include "core/conventions/ground_control.h"

namespace zarr {

// Attributes with the tags of a TIFF file that contains an array.
struct GeoTiffTags {
    json::Value attributes;
    std::string where;  // "", or the group that has the attributes, such as "group /a, "
    // Pixel width and height of the array, in pixels of the file's largest image.
    double x_factor = 1;
    double y_factor = 1;
};

// A tag: its value, and its name as the attributes spell the name.
struct GeoTiffTag {
    const json::Value* value = nullptr;  // nullptr if the tag is absent
    std::string name;
};

// Finds a tag by its name in GeoTIFF 1.0, without "GeoKey": "ModelPixelScale", "ProjLinearUnits".
GeoTiffTag FindGeoTiffTag(const json::Value& attributes, std::string_view name);

// True if `name` is a tag, as kerchunk or virtual-tiff spell its name. False for virtual-tiff's
// "citation", "projection" and "vertical", which other writers use with other meanings.
bool IsGeoTiffTag(std::string_view name);

// True if attributes contain tags that locate an image.
bool HasGeoTiffTags(const json::Value& attributes);

// True for the names SCALE, OFFSET, UNITTYPE and the nodata value of GDAL in a TIFF file.
bool IsGdalTiffItem(std::string_view name);

// Adds GDAL's scale, offset, unit and nodata value of a TIFF file to an array's attributes, under
// the names of CF and rioxarray. Existing attributes are kept. The items are those of the array, or
// those of the group that lists the array as a level.
//
// kerchunk and virtual-tiff drop the number of the band. If the array has several bands, all get
// the same scale and offset, with a warning. `facts` needs path, metadata and group attributes.
Fact<json::Value> WithGeoTiff(json::Value attributes, const Hierarchy& hierarchy,
                              const ArrayFacts& facts);

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
