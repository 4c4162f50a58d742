// SPDX-License-Identifier: MIT
// Converts facts from core/conventions to GDAL's georeferencing, for the raster API and the
// multidimensional API.
#pragma once

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_spatialref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/crs/crs_sources.h"
#include "core/conventions/crs/ground_control.h"
#include "core/conventions/facts/array_facts.h"

namespace zarr_driver {

struct GeoreferencingOptions {
    zarr::AssumeLonglat assume_longlat = zarr::AssumeLonglat::kByAttributes;
    bool wrap_longitude = false;  // shows longitudes 0..360 as -180..180
    bool north_up = false;        // reverses rows if row numbers increase northwards
    std::size_t threads = 1;
    // Index of the raster's slice along each dimension of the array, or nullopt if the dimension is
    // not fixed. An empty list fixes no dimension.
    std::vector<std::optional<std::uint64_t>> fixed;
};

// Georeferencing of the raster that an array forms.
struct Georeferencing {
    std::optional<OGRSpatialReference> srs;  // traditional GIS axis order
    std::string srs_origin;                  // attribute or variable that states the CRS
    // Factor from the unit of X (of Y if X has none) to the unit of the CRS.
    double coordinate_scale = 1;
    double y_factor = 1;  // factor from the unit of Y to the unit of X
    std::optional<zarr::GeoTransform> transform;
    std::string transform_origin;
    bool is_flipped = false;    // true if north_up has reversed the rows
    int rolled_columns = 0;     // columns moved from the left to the right side by wrap_longitude
    int roll_period = 0;        // columns after which the raster repeats, if some are moved
    CPLStringList geolocation;  // GEOLOCATION metadata domain; may be empty
    std::vector<zarr::GroundControlPoint> points;  // empty if there is a geotransform
    std::optional<OGRSpatialReference> points_srs;
    zarr::Warnings warnings;  // about invalid statements, which are ignored
};

// True if row numbers increase northwards, and the raster is not rotated.
inline bool IsSouthUp(const zarr::GeoTransform& t) { return t[2] == 0 && t[4] == 0 && t[5] > 0; }

// Reads the georeferencing of an array from attributes, coordinate arrays and control points.
// `store_path` is the path for subdataset names. An invalid statement adds a warning to the result.
Georeferencing ReadGeoreferencing(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                                  const std::string& store_path,
                                  const GeoreferencingOptions& options);

// Returns the CRS that the attributes of a grid mapping state, as text or by CF parameters. Text is
// preferred. CF parameters are read as if coordinates were in metres or degrees.
zarr::Result<OGRSpatialReference> CrsOfGridMapping(const zarr::json::Value& attributes);

}  // namespace zarr_driver
