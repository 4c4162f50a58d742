// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

#if ZARR_HAS_SUBDATASET_INFO
// Splits the connection string `name` of a node into parts, so that GDAL can change the path in it,
// as for a VRT with relative paths. Returns nullptr for any other name. The caller owns the result.
GDALSubdatasetInfo* GetSubdatasetInfo(const char* name);
#endif

}  // namespace zarr_driver
