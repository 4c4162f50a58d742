// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

namespace zarr_driver {

// GDALDriver::pfnIdentify: a few stats, no listing. True of what Open() opens, by this driver or by
// GDAL's own, as far as that can be told without requests over a network. The answer depends on the
// argument, its flags among it, and on what is there.
//
// Without flags GDAL also asks which driver is to delete what a copy replaces. A name that
// leads to nothing is then not identified, and neither is a zip file, which stays until what takes
// its place is complete.
int Identify(GDALOpenInfo* open_info);

// True of what Open() opens and Identify() is false of for that reason.
bool IsTurnedDown(GDALOpenInfo* open_info);

// GDALDriver::pfnOpen. Emits one error and returns nullptr where a Zarr store cannot be opened.
// What this driver leaves to GDAL's own is opened by that one, with its errors.
GDALDataset* Open(GDALOpenInfo* open_info);

}  // namespace zarr_driver
