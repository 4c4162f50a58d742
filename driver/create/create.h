// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Implements GDALDriver::pfnCreate: creates a store, or adds an array to a store
// (APPEND_SUBDATASET). Returns the dataset in update mode; nullptr after an emitted error.
GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    NameValueList options);

// Implements GDALDriver::pfnCreateCopy: creates a store like Create(), and copies all pixels and
// metadata of `source`. Removes the store if copying fails or is cancelled.
GDALDataset* CreateCopy(const char* name, GDALDataset* source, int strict, NameValueList options,
                        GDALProgressFunc progress, void* progress_data);

// Copies all pixels of `from` to the bands of `to` with equal numbers. Both datasets have the same
// size. Reads on the calling thread only, while other threads encode and store. Emits errors;
// returns false after an error or if `progress` cancels.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
