// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <functional>

#include "core/base/status.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Position in a copy of pixels. All bands before `band` are copied. In `band`, and in the bands
// that are copied together with it, the rows before `row` are copied.
struct CopyPosition {
    int band = 1;
    int row = 0;
};

// Function that a copy calls, if possible at positions where no chunk or shard is partly copied.
// All pixels before the position are written to the dataset, but their chunks may not be stored
// yet.
using CopyCheckpoint = std::function<zarr::Status(CopyPosition)>;

// Copies the pixels of all bands of `from`, from the position `start` on, to the bands of `to` with
// the same numbers. Both datasets must have equal sizes. Reads on the calling thread only; other
// threads encode and store. `checkpoint` may be empty. Emits errors. Returns false after an error,
// or if `progress` cancels.
bool CopyPixels(GDALDataset& from, ZarrDataset& to, CopyPosition start,
                const CopyCheckpoint& checkpoint, GDALProgressFunc progress, void* progress_data);

}  // namespace zarr_driver
