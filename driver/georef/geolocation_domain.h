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

// The raster that a GEOLOCATION domain is made for; everything is borrowed.
struct GeolocatedRaster {
    const zarr::Hierarchy& hierarchy;
    const std::string& store_path;   // of dataset names
    const OGRSpatialReference* srs;  // that the store states; nullptr without one
    // GeoreferencingOptions::fixed
    const std::vector<std::optional<std::uint64_t>>& fixed;
    std::size_t threads;
};

// Makes the metadata domain GEOLOCATION. Its datasets give degrees, or units of the CRS: arrays
// that are packed or in other units are wrapped in a VRT. Empty, maybe with a warning, if the
// coordinates cannot be used, as metres without a CRS. Arrays with a slice for each time give the
// raster's slice, or with a warning the first one.
CPLStringList GeolocationDomain(const GeolocatedRaster& raster,
                                const zarr::Geolocation& geolocation, zarr::Warnings& warnings);

}  // namespace zarr_driver
