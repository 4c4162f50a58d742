// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>

#include "core/conventions/cf_grid_mapping.h"

namespace zarr_driver {

// A CRS, and what coordinates are multiplied by to be in its units.
struct CfSrs {
    OGRSpatialReference srs;  // traditional GIS axis order
    double coordinate_scale = 1;
};

// The CRS of a grid mapping whose coordinate arrays have these `units`. The linear unit of the CRS
// is theirs; coordinates that are a geostationary satellite's scanning angles are to be multiplied
// by its height to be metres, and longitudes and latitudes in radians to be degrees. Units that say
// nothing of use give a warning and count as metres or degrees; without any, coordinates of a
// geostationary satellite are radians, as CF wants them. Nothing of GDAL's is printed. Fails where
// GDAL or PROJ refuse the parameters.
zarr::Result<CfSrs> MakeCfSrs(const zarr::CfGridMapping& mapping, const std::string& units,
                              zarr::Warnings& warnings);

// Puts the CRS of EPSG's `code` in place of `located`, the CRS of `mapping`, if they are the same
// but for rounding, as of an ellipsoid that is stored as float32. False if they differ.
bool TakeCode(const std::string& code, const zarr::CfGridMapping& mapping, CfSrs& located);

// The height of a geostationary satellite whose view the CRS is, in metres; 0 for any other CRS.
double SatelliteHeight(const OGRSpatialReference& srs);

// What coordinates with these `units` are multiplied by to be in the units of a CRS that was stated
// without regard to them, as text is: kilometres to its linear unit, radians to degrees, scanning
// angles to its linear unit. 1 where the units say nothing of use.
double CoordinateScale(const OGRSpatialReference& srs, const std::string& units);

// The geographic CRS with a grid mapping's ellipsoid, prime meridian and datum. A datum that is
// known by its name gives EPSG's CRS (in degrees) where ellipsoid and prime meridian are its own,
// so that transformations know it. Without a datum the WGS 84 ellipsoid means WGS 84, as does
// saying nothing at all (what GDAL's netCDF driver takes that for, too); any other ellipsoid is on
// an unknown datum.
zarr::Result<OGRSpatialReference> MakeGeographicSrs(const zarr::CfEarth& earth,
                                                    zarr::Warnings& warnings);

// Gives `srs`, a projected CRS that has its geographic CRS already, the projection of `mapping`
// (none of latitude_longitude and rotated_latitude_longitude). Its unit is the metre, and the false
// easting and northing of `mapping` are taken for metres.
zarr::Status SetProjection(const zarr::CfGridMapping& mapping, OGRSpatialReference& srs);

}  // namespace zarr_driver
