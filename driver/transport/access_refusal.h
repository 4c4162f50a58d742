// SPDX-License-Identifier: MIT
// Reasons for which an object store refuses access, such as wrong credentials.
#pragma once

#include "core/base/status.h"
#include "driver/transport/store_path.h"

namespace zarr_driver {

// Explains `failure`, the error of opening, creating or writing the store in `folder`. Adds what
// the object store or GDAL says about the access, and the options to set. Sends one request.
// Returns `failure` unchanged if the folder is not in an object store, or if nothing is refused.
zarr::Status WithRefusal(const StorePath& folder, zarr::Status failure);

}  // namespace zarr_driver
