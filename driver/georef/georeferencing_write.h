// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/json/value.h"
#include "driver/base/creation_options.h"
#include "driver/georef/coordinate_arrays.h"
#include "driver/georef/raster_layout.h"

namespace zarr_driver {

// Where a raster is said to lie; either may be unknown.
struct Placement {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
};

// Which statements of a placement are in arrays beside the raster.
struct PlacedBeside {
    std::string grid_mapping;  // its name; empty without
    bool axes = false;         // coordinate arrays of X and Y
};

// Centres of `count` pixels along X, or along Y, of a raster without rotation.
NumberSeries PixelCentres(const zarr::GeoTransform& transform, bool is_x, std::uint64_t count);

// Writes the coordinate and grid mapping arrays of a raster. Where coordinates are others' too and
// say something else they stay as they are, with a line in `warnings`.
zarr::Result<PlacedBeside> WriteBeside(const CoordinateArrays& arrays, const RasterLayout& layout,
                                       const Placement& placement, Georeferenced convention,
                                       zarr::Warnings& warnings);

// Says in the attributes of an array where its raster lies: as GDAL's `_CRS`, by CF, or by the
// conventions `proj:` and `spatial:`. What was said before is replaced.
void PlaceByAttributes(const RasterLayout& layout, const Placement& placement,
                       Georeferenced convention, const PlacedBeside& beside,
                       zarr::json::Object& attributes);

// Writes the strings that lie along a dimension as the coordinate array at `path`.
zarr::Status WriteTextCoordinates(const CoordinateArrays& arrays, const std::string& path,
                                  const std::vector<std::string>& texts);

// Sets, or with a null value removes, a member of an object.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

// A CRS as the texts that stores hold.

// WKT2:2019; empty where the CRS cannot be written so.
std::string Wkt2(const OGRSpatialReference& srs);

// "EPSG:32632", with `separator` in place of the colon; empty where the CRS has no code of its own.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// The value of the attribute `_CRS` (GDAL's own convention): url where there is a code, wkt,
// projjson.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver
