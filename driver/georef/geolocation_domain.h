// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>
#include <ogr_spatialref.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/geolocation.h"

namespace zarr_driver {

// The raster that a GEOLOCATION domain is made for. References and pointers must outlive the
// object.
struct GeolocatedRaster {
    const zarr::Hierarchy& hierarchy;
    const std::string& store_path;   // path of the store in dataset names
    const OGRSpatialReference* srs;  // CRS that the store states; nullptr if none
    // Indices of fixed dimensions; see GeoreferencingOptions::fixed.
    const std::vector<std::optional<std::uint64_t>>& fixed;
    std::size_t threads;
};

// Returns the metadata domain GEOLOCATION. Coordinates are in degrees or in units of the CRS:
// packed arrays and arrays in other units are wrapped in a VRT. Empty if the coordinates are
// unusable, for example metres without a CRS. If coordinate arrays have a slice for each time, the
// raster's slice is used; without one, the first slice, with a warning.
CPLStringList GeolocationDomain(const GeolocatedRaster& raster,
                                const zarr::Geolocation& geolocation, zarr::Warnings& warnings);

}  // namespace zarr_driver
