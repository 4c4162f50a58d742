// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_error.h>

namespace zarr_driver {

// GDALDriver::pfnCopyFiles: copies a store, or an array or group of one, to a path where nothing
// may be. A path in another store, or in the same one, is a node of it. What an array or group
// refers to beside it, such as coordinates and a grid mapping, goes along where the new place has
// not the same. Emits one error where it fails; what was copied is removed then.
CPLErr CopyFiles(const char* new_name, const char* old_name);

}  // namespace zarr_driver
