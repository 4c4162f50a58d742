// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

namespace zarr_driver {

// Implements GDALDriver::pfnIdentify. Returns TRUE for datasets that Open() opens, with this driver
// or with GDAL's built-in driver. Checks only whether a few files exist, and lists no folder. A
// name on a web server is judged by its text.
// GDAL before 3.9 also calls this function without flags, to find the driver that deletes a dataset
// before a copy replaces it. Such a call returns FALSE if nothing exists under the name. It also
// returns FALSE for zip files, because GDAL must not delete a zip file before the new file is
// complete. Later versions: quiet_deletion.h.
int Identify(GDALOpenInfo* open_info);

// True for names that Open() opens, but that Identify() rejects because a copy is going to replace
// them.
bool IsRejectedByIdentify(GDALOpenInfo* open_info);

// Implements GDALDriver::pfnOpen. Emits one error and returns nullptr if a Zarr store cannot be
// opened. Opens stores of GDAL's built-in driver with that driver, which emits its own errors.
GDALDataset* Open(GDALOpenInfo* open_info);

}  // namespace zarr_driver
