// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Implements GDALDriver::pfnCreate. Creates a store, or adds an array to a store
// (APPEND_SUBDATASET). Returns the dataset in update mode. On failure emits an error and returns
// nullptr.
GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    NameValueList options);

// Implements GDALDriver::pfnCreateCopy. Creates a store or adds an array, as Create() does, and
// copies all pixels and metadata of `source`. If copying fails or is cancelled, removes the store.
GDALDataset* CreateCopy(const char* name, GDALDataset* source, int strict, NameValueList options,
                        GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
