// SPDX-License-Identifier: MIT
#pragma once

#include "driver/store/store_kind.h"

namespace zarr_driver {

// Store kind for folders of GDAL's file systems. It recognises every address.
extern const StoreKind kFolderKind;

}  // namespace zarr_driver
