// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

#if ZARR_HAS_SUBDATASET_INFO
// Splits the connection string of a node into parts, so that GDAL can change its path, as for a VRT
// with relative paths. Returns nullptr for any other name. The caller owns the result.
GDALSubdatasetInfo* GetSubdatasetInfo(const char* name);
#endif

}  // namespace zarr_driver
