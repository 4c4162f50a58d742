// SPDX-License-Identifier: MIT
// Facts of core/conventions turned into GDAL's georeferencing, once, for the classic and the
// multidimensional API alike.
#pragma once

#include <cpl_string.h>
#include <gdal.h>
#include <ogr_spatialref.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/crs_sources.h"
#include "core/conventions/ground_control.h"

namespace zarr_driver {

struct GeoreferencingOptions {
    zarr::AssumeLonglat assume_longlat = zarr::AssumeLonglat::kAsSaid;
    bool wrap_longitude = false;  // 0 to 360 becomes -180 to 180
    bool north_up = false;        // rows that go north become rows that go south
    std::size_t threads = 1;
    // The index along each dimension of the array along which the raster is one slice; may be
    // empty.
    std::vector<std::optional<std::uint64_t>> fixed;
};

// Where the raster of an array lies.
struct Georeferencing {
    std::optional<OGRSpatialReference> srs;  // traditional GIS axis order
    std::string srs_origin;                  // the attribute that stated it
    double coordinate_scale = 1;  // from the units of X, or else of Y, to those of the CRS
    double y_factor = 1;          // from the units of Y to those of X
    std::optional<zarr::GeoTransform> transform;
    std::string transform_origin;
    bool is_flipped = false;    // the raster's first row is the array's last, for north_up
    int rolled_columns = 0;     // columns that wrap_longitude moves from the left to the right
    CPLStringList geolocation;  // the GEOLOCATION metadata domain; empty where there is none
    std::vector<zarr::GroundControlPoint> points;  // only where there is no transform
    std::optional<OGRSpatialReference> points_srs;
    zarr::Warnings warnings;  // conventions that were broken and passed over
};

// True where rows go north, without rotation.
inline bool IsSouthUp(const zarr::GeoTransform& t) { return t[2] == 0 && t[4] == 0 && t[5] > 0; }

// Reads what is needed, coordinate arrays included. `store_path` is that of subdataset names.
Georeferencing ReadGeoreferencing(const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
                                  const std::string& store_path,
                                  const GeoreferencingOptions& options);

// The CRS that the attributes of a grid mapping state: as text, else by CF's parameters, for
// coordinates in metres or degrees.
zarr::Result<OGRSpatialReference> CrsOfGridMapping(const zarr::json::Value& attributes);

}  // namespace zarr_driver
