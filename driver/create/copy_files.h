// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_error.h>

namespace zarr_driver {

// Implements GDALDriver::pfnCopyFiles. Copies a store, or an array or group of a store, to a path
// at which nothing exists. If that path is inside of a store, the copy becomes a node of that
// store. After a failure emits one error and removes the copy.
//
// Coordinate arrays, grid mappings and other arrays that a node refers to are copied, too, unless
// the target has equal arrays.
CPLErr CopyFiles(const char* new_name, const char* old_name);

}  // namespace zarr_driver
