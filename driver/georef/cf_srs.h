// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>

#include "core/conventions/cf_grid_mapping.h"

namespace zarr_driver {

// A CRS, and the factor that converts coordinates to its units.
struct CfSrs {
    OGRSpatialReference srs;  // traditional GIS axis order
    double coordinate_scale = 1;
};

// Returns the CRS of a grid mapping whose coordinate arrays have `units`. The linear unit of the
// CRS is that unit. coordinate_scale converts scanning angles of a geostationary satellite to
// metres, and longitudes and latitudes in radians to degrees.
// Unusable `units` give a warning; metres or degrees are assumed. Without units, coordinates of a
// geostationary satellite are radians, by the CF conventions. No GDAL errors are emitted. Returns
// kCorrupt if GDAL or PROJ reject the parameters.
zarr::Result<CfSrs> MakeCfSrs(const zarr::CfGridMapping& mapping, const std::string& units,
                              zarr::Warnings& warnings);

// Replaces `located`, the CRS of `mapping`, by the CRS with the authority code `code`, if both are
// equal up to rounding. An ellipsoid that is stored as float32 is rounded. Returns false if they
// differ.
bool ReplaceByCode(const std::string& code, const zarr::CfGridMapping& mapping, CfSrs& located);

// Returns the satellite height in metres of a geostationary CRS; 0 for any other CRS.
double SatelliteHeight(const OGRSpatialReference& srs);

// Returns the factor from coordinates in `units` to the units of a CRS that was stated as text,
// which ignores the coordinates' units. Examples: kilometres to the linear unit, radians to
// degrees, scanning angles to the linear unit. 1 if `units` are unusable.
double CoordinateScale(const OGRSpatialReference& srs, const std::string& units);

// Returns the geographic CRS with a grid mapping's ellipsoid, prime meridian and datum.
// If the datum's name is known, the result is the CRS in EPSG, in degrees, so that datum
// transformations apply. That requires a matching ellipsoid and prime meridian. Without a datum,
// the WGS 84 ellipsoid, or no ellipsoid at all, means WGS 84; GDAL's netCDF driver assumes that,
// too. Any other ellipsoid has an unknown datum.
zarr::Result<OGRSpatialReference> MakeGeographicSrs(const zarr::CfEarth& earth,
                                                    zarr::Warnings& warnings);

// Sets the projection of `mapping` in `srs`, a projected CRS that has its geographic CRS already.
// The unit becomes the metre; false easting and northing of `mapping` are taken as metres. Returns
// kUnsupported for latitude_longitude and rotated_latitude_longitude.
zarr::Status SetProjection(const zarr::CfGridMapping& mapping, OGRSpatialReference& srs);

}  // namespace zarr_driver
