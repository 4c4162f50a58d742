// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"

namespace zarr_driver {

#if ZARR_HAS_SUBDATASET_INFO
// The parts of a connection string that names a node in a store, for GDAL to change its path, as
// where a VRT has it relative to itself; nullptr of any other name. Owned by the caller.
GDALSubdatasetInfo* GetSubdatasetInfo(const char* name);
#endif

}  // namespace zarr_driver
