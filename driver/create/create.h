// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// GDALDriver::pfnCreate: makes a store, or adds an array to one (APPEND_SUBDATASET), and opens it
// for update.
GDALDataset* Create(const char* name, int x_size, int y_size, int bands, GDALDataType type,
                    NameValueList options);

// GDALDriver::pfnCreateCopy: the same with everything that the source says and holds. A store whose
// copying failed or was cancelled is removed.
GDALDataset* CreateCopy(const char* name, GDALDataset* source, int strict, NameValueList options,
                        GDALProgressFunc progress, void* progress_data);

// Copies every band of `from` to the band of `to` with the same number; both have the same size.
// Reads on the calling thread only, while what was read before is encoded and stored on others.
// False where that failed, or `progress` asked to stop; what failed has been emitted.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
