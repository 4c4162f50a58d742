// SPDX-License-Identifier: MIT
#pragma once

#include "driver/raster/dataset.h"

namespace zarr_driver {

// Copies every band of `from` to the band of `to` with the same number; both have the same size.
// Reads on the calling thread only, while what was read before is encoded and stored on others.
// False where that failed, or `progress` asked to stop; what failed has been emitted.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
