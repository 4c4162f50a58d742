// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>

#include "core/conventions/cf_grid_mapping.h"

namespace zarr_driver {

// A CRS, and the factor that converts the stored coordinates to the units of the CRS.
struct CfSrs {
    OGRSpatialReference srs;  // traditional GIS axis order
    double coordinate_scale = 1;
};

// Returns the CRS of a grid mapping whose coordinate arrays have the unit `units`. The linear unit
// of the CRS is the same unit. The factor in the result converts scanning angles of a geostationary
// satellite to metres, and longitudes and latitudes in radians to degrees. If `units` cannot be
// used, adds a warning and assumes metres or degrees. If `units` is empty, coordinates of a
// geostationary satellite are radians, by the CF conventions. Emits no GDAL errors. Returns
// kCorrupt if GDAL or PROJ reject the parameters.
zarr::Result<CfSrs> MakeCfSrs(const zarr::CfGridMapping& mapping, const std::string& units,
                              zarr::Warnings& warnings);

// Replaces `located`, the CRS of `mapping`, by the CRS with the authority code `code`. Does so only
// if both are equal up to rounding, and else returns false. Rounding matters for an ellipsoid that
// is stored as float32.
bool ReplaceByCode(const std::string& code, const zarr::CfGridMapping& mapping, CfSrs& located);

// Returns the satellite height in metres of a geostationary CRS; 0 for any other CRS.
double SatelliteHeight(const OGRSpatialReference& srs);

// Returns the factor that converts coordinates in `units` to the units of `srs`, a CRS that was
// stated as text. Such a text ignores the units of the coordinates. Examples: kilometres to the
// linear unit, radians to degrees, scanning angles to the linear unit. Returns 1 if `units` cannot
// be used.
double CoordinateScale(const OGRSpatialReference& srs, const std::string& units);

// Returns the geographic CRS with the ellipsoid, prime meridian and datum of a grid mapping. If the
// datum's name is known, and ellipsoid and prime meridian match, the result is the CRS in EPSG, in
// degrees. Datum transformations are then possible. If no datum is stated, the WGS 84 ellipsoid, or
// no ellipsoid, means WGS 84, as in GDAL's netCDF driver. Any other ellipsoid gives a CRS with an
// unknown datum.
zarr::Result<OGRSpatialReference> MakeGeographicSrs(const zarr::CfEarth& earth,
                                                    zarr::Warnings& warnings);

// Sets the projection of `mapping` in `srs`, a projected CRS that already contains its geographic
// CRS. The linear unit becomes the metre. False easting and northing in `mapping` are read as
// metres. Returns kUnsupported for latitude_longitude and rotated_latitude_longitude.
zarr::Status SetProjection(const zarr::CfGridMapping& mapping, OGRSpatialReference& srs);

}  // namespace zarr_driver
