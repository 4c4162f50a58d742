// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

namespace zarr_driver {

// GDALDriver::pfnIdentify: a few stats, no listing.
int Identify(GDALOpenInfo* open_info);

// GDALDriver::pfnOpen. Emits one error and returns nullptr where a Zarr v2 store cannot be opened;
// returns nullptr silently for what GDAL's built-in driver is to try.
GDALDataset* Open(GDALOpenInfo* open_info);

}  // namespace zarr_driver
