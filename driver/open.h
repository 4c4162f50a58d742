// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/location.h"
#include "driver/options.h"

namespace zarr_driver {

// GDALDriver::pfnIdentify: at most three stats, no listing.
int Identify(GDALOpenInfo* open_info);

// GDALDriver::pfnOpen. Emits one error and returns nullptr where a Zarr v2 store cannot be opened;
// returns nullptr silently for what GDAL's built-in driver is to try.
GDALDataset* Open(GDALOpenInfo* open_info);

// The array at a location as a dataset of the classic API, each slice a band; nullptr, without an
// error, where it is no raster.
GDALDataset* OpenRaster(const Location& location, OpenOptions options);

}  // namespace zarr_driver
