// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <ogr_spatialref.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/crs/geolocation.h"

namespace zarr_driver {

// The raster for which a metadata domain GEOLOCATION is made. The referenced objects must outlive
// this object.
struct GeolocatedRaster {
    const zarr::Hierarchy& hierarchy;
    const std::string& store_path;   // path of the store in dataset names
    const OGRSpatialReference* srs;  // CRS that the store states; nullptr if none
    // Fixed index along each dimension, or nullopt if the dimension is not fixed. See
    // GeoreferencingOptions::fixed.
    const std::vector<std::optional<std::uint64_t>>& fixed;
    std::size_t threads;
};

// Returns the items of the metadata domain GEOLOCATION, with coordinates in degrees or in units of
// the CRS. A VRT converts arrays that have a scale, an offset or other units. Returns no items if
// the coordinates cannot be used, for example metres without a CRS.
//
// If coordinate arrays have a slice for each time, the slice of the raster's time is used. Without
// such a slice, the first one is used, with a warning.
CPLStringList GeolocationDomain(const GeolocatedRaster& raster,
                                const zarr::Geolocation& geolocation, zarr::Warnings& warnings);

}  // namespace zarr_driver
