// SPDX-License-Identifier: MIT
// A CRS as the texts that stores hold.
#pragma once

#include <ogr_spatialref.h>

#include <string>

#include "core/json/value.h"

namespace zarr_driver {

// WKT2:2019; empty where the CRS cannot be written so.
std::string Wkt2(const OGRSpatialReference& srs);

// "EPSG:32632", with `separator` in place of the colon; empty where the CRS has no code of its own.
std::string CodeOf(const OGRSpatialReference& srs, const char* separator);

// The value of the attribute `_CRS` (GDAL's own convention): url where there is a code, wkt,
// projjson.
zarr::json::Value GdalCrs(const OGRSpatialReference& srs);

}  // namespace zarr_driver
