// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <functional>

#include "core/base/status.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Position of a pixel copy: all bands before `band` are copied, and in the current bands all rows
// before `row`.
struct CopyPosition {
    int band = 1;
    int row = 0;
};

// Called during a copy, if possible between chunks and shards. All pixels before the position are
// written to the dataset, but may not be stored yet.
using CopyCheckpoint = std::function<zarr::Status(CopyPosition)>;

// Copies all bands of `from`, beginning at `start`, to the same bands of `to`, which must have the
// same size. Reads only on the calling thread. `checkpoint` may be empty.
//
// Emits errors. Returns false after an error, or if `progress` cancels.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, CopyPosition start,
                const CopyCheckpoint& checkpoint, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
