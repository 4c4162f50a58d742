// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include "driver/raster/dataset.h"

namespace zarr_driver {

// Copies all pixels of each band of `from` to the band of `to` with that number. Both datasets have
// equal sizes. Reads on the calling thread only, while other threads encode and store. Emits
// errors. Returns false after an error, or if `progress` cancels.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
