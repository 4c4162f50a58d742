// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include "core/json/value.h"

namespace zarr_driver {

// The attributes of a CF grid mapping (CF conventions, appendix F) that state a CRS by its
// parameters: grid_mapping_name, the projection's parameters with angles in degrees and lengths in
// the CRS's unit, and what is known of ellipsoid, prime meridian, datum and names. Without
// grid_mapping_name where CF has no such projection; empty where `crs` is neither geographic nor
// projected. GDAL has an own export from 3.9 on, of fewer projections.
zarr::json::Object CfAttributes(const OGRSpatialReference& crs);

}  // namespace zarr_driver
