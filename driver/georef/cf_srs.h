// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>

#include "core/conventions/cf/cf_grid_mapping.h"

namespace zarr_driver {

// A CRS, and the factor that converts the stored coordinates to the units of the CRS.
struct CfSrs {
    OGRSpatialReference srs;  // traditional GIS axis order
    double coordinate_scale = 1;
};

// Returns the CRS of a grid mapping whose coordinate arrays have the unit `units`, which becomes
// the linear unit of the CRS. The factor in the result converts scanning angles of a geostationary
// satellite to metres. It also converts longitudes and latitudes in radians to degrees.
//
// If `units` cannot be used, adds a warning and assumes metres or degrees. If `units` is empty,
// coordinates of a geostationary satellite are radians, by the CF conventions. Emits no GDAL
// errors. Returns kCorrupt if GDAL or PROJ reject the parameters.
zarr::Result<CfSrs> MakeCfSrs(const zarr::CfGridMapping& mapping, const std::string& units,
                              zarr::Warnings& warnings);

// Replaces `located`, the CRS of `mapping`, by the CRS with the authority code `code`, such as
// "EPSG:4326", if both are equal up to rounding. Otherwise returns false. An ellipsoid may be
// rounded because it is stored as float32.
bool ReplaceByCode(const std::string& code, const zarr::CfGridMapping& mapping, CfSrs& located);

// Returns the satellite height in metres of a geostationary CRS; 0 for any other CRS.
double SatelliteHeight(const OGRSpatialReference& srs);

// Returns the factor that converts coordinates in `units` to the units of `srs`, a CRS that was
// stated as text. Examples: kilometres to metres, radians to degrees, scanning angles to metres.
// Returns 1 if `units` cannot be used.
double CoordinateScale(const OGRSpatialReference& srs, const std::string& units);

// Returns the geographic CRS with the ellipsoid, prime meridian and datum of a grid mapping. If the
// datum's name is known, and ellipsoid and prime meridian match, the result is the CRS in EPSG, in
// degrees. This allows datum transformations.
//
// If no datum is stated, the ellipsoid of WGS 84, or no ellipsoid, means WGS 84, as in GDAL's
// netCDF driver. Any other ellipsoid gives a CRS with an unknown datum.
zarr::Result<OGRSpatialReference> MakeGeographicSrs(const zarr::CfEarth& earth,
                                                    zarr::Warnings& warnings);

// Sets the projection of `mapping` in `srs`, a projected CRS that already contains its geographic
// CRS. The linear unit becomes the metre. False easting and northing in `mapping` are read as
// metres. Returns kUnsupported for latitude_longitude and rotated_latitude_longitude.
zarr::Status SetProjection(const zarr::CfGridMapping& mapping, OGRSpatialReference& srs);

}  // namespace zarr_driver
