// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include "core/conventions/cf_grid_mapping.h"

namespace zarr_driver {

// Gives `srs`, a projected CRS that has its geographic CRS already, the projection of `mapping`
// (none of latitude_longitude and rotated_latitude_longitude). Its unit is the metre, and the false
// easting and northing of `mapping` are taken for metres.
zarr::Status SetProjection(const zarr::CfGridMapping& mapping, OGRSpatialReference& srs);

}  // namespace zarr_driver
