// SPDX-License-Identifier: MIT
// Stores as wholes: what GDALDriver::Delete(), Rename() and CopyFiles() do. Each emits one error
// where it fails. Stores that are left to GDAL's own driver are its to delete, rename and copy, as
// it does by itself.
#pragma once

#include <cpl_error.h>

namespace zarr_driver {

// Deletes a store, or the array or group that the name leads to; nothing that is no Zarr v2 store
// or has other things in it.
CPLErr Delete(const char* name);

// Gives a store another path, where nothing may be; or an array or group another name in its group.
CPLErr Rename(const char* new_name, const char* old_name);

// Copies a store, or an array or group of one, to a path where nothing may be. What was copied is
// removed where it fails.
CPLErr CopyFiles(const char* new_name, const char* old_name);

}  // namespace zarr_driver
