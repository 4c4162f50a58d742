// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

namespace zarr_driver {

// GDALDriver::pfnIdentify: a few stats, no listing.
int Identify(GDALOpenInfo* open_info);

// True of what this driver opens but disowns where GDAL asks who is to delete what a copy
// replaces. A store that a copy replaces, or adds to, is not GDAL's to delete: it stays until what
// takes its place is complete. GDAL up to 3.6 leaves folders alone, and is not noticed.
bool IsDisowned(GDALOpenInfo* open_info);
// For who makes the copy: GDAL asks several times before, and the next question is another one.
void ForgetWhatIsReplaced();

// True where Open() opens what Identify() is true of, or fails; false where it leaves it to GDAL's
// built-in driver, as far as that can be told without requests over a network.
bool IsOurs(GDALOpenInfo* open_info);

// GDALDriver::pfnOpen. Emits one error and returns nullptr where a Zarr v2 store cannot be opened;
// returns nullptr silently for what GDAL's built-in driver is to try.
GDALDataset* Open(GDALOpenInfo* open_info);

}  // namespace zarr_driver
