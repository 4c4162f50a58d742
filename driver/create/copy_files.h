// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_error.h>

namespace zarr_driver {

// Implements GDALDriver::pfnCopyFiles: copies a store, or an array or group of a store, to a path
// at which nothing exists. Inside of an existing store, the copy becomes a node of that store.
// Arrays that the copied node refers to, such as coordinate arrays, are copied too, unless the
// target store has equal ones. After a failure, emits one error and removes the copy.
CPLErr CopyFiles(const char* new_name, const char* old_name);

}  // namespace zarr_driver
