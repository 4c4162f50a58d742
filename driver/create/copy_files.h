// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_error.h>

namespace zarr_driver {

// Implements GDALDriver::pfnCopyFiles: copies a store, array or group to a path at which nothing
// exists. Within an existing store, the copy becomes a node of that store. Also copies arrays to
// which the copied node refers, such as coordinate arrays, unless the target store has equal ones.
// After a failure, emits one error and removes the copy.
CPLErr CopyFiles(const char* new_name, const char* old_name);

}  // namespace zarr_driver
