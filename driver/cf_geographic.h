// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include "core/conventions/cf_earth.h"

namespace zarr_driver {

// The geographic CRS with a grid mapping's ellipsoid, prime meridian and datum. A datum that is
// known by its name gives EPSG's CRS (in degrees) where ellipsoid and prime meridian are its own,
// so that transformations know it. Without a datum the WGS 84 ellipsoid means WGS 84, as does
// saying nothing at all (what GDAL's netCDF driver takes that for, too); any other ellipsoid is on
// an unknown datum.
zarr::Result<OGRSpatialReference> MakeGeographicSrs(const zarr::CfEarth& earth,
                                                    zarr::Warnings& warnings);

}  // namespace zarr_driver
