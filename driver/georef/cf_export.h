// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include "core/json/value.h"

namespace zarr_driver {

// Returns the attributes of a CF grid mapping that state a CRS by parameters (CF conventions,
// appendix F). They are grid_mapping_name, projection parameters, ellipsoid, prime meridian, datum
// and names. Angles are in degrees, lengths in the unit of the CRS.
// grid_mapping_name is absent if CF has no such projection. Empty if `crs` is neither geographic
// nor projected. GDAL has a similar export since version 3.9, but for fewer projections.
zarr::json::Object CfAttributes(const OGRSpatialReference& crs);

}  // namespace zarr_driver
