// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include "core/json/value.h"

namespace zarr_driver {

// Returns the attributes of a CF grid mapping that state `crs` by parameters (CF conventions,
// appendix F). Angles are in degrees, and lengths in the unit of the CRS. If CF lacks the
// projection, grid_mapping_name is absent. Returns no attributes if `crs` is neither geographic nor
// projected. GDAL's own export, since version 3.9, knows fewer projections.
zarr::json::Object CfAttributes(const OGRSpatialReference& crs);

}  // namespace zarr_driver
