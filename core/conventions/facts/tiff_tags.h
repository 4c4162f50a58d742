// SPDX-License-Identifier: MIT
// Reads the tags of GeoTIFF (OGC 19-008r4) that kerchunk and virtual-tiff copy from a TIFF file
// into attributes. kerchunk spells a GeoKey "ProjLinearUnitsGeoKey", virtual-tiff
// "proj_linear_units".
#pragma once

#include <string>
#include <string_view>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/group/multiscales.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Names of the tags that locate an image.
inline constexpr std::string_view kModelPixelScale = "ModelPixelScale";
inline constexpr std::string_view kModelTiepoint = "ModelTiepoint";
inline constexpr std::string_view kModelTransformation = "ModelTransformation";

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
// the same scale and offset, with a warning.
Fact<json::Value> WithGeoTiff(json::Value attributes, const Hierarchy& hierarchy,
                              const std::string& path, const ArrayMetadata& metadata,
                              const json::Value& group_attributes);

// Returns the entries of the array's group that list the array as a level of a pyramid, if the
// group has tags. Otherwise `is_listed()` of the result is false.
LevelListing ListingOfTiff(const Hierarchy& hierarchy, const std::string& path,
                           const json::Value& group_attributes);

}  // namespace zarr
