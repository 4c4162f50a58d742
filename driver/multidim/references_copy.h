// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>

#include "core/base/status.h"

namespace zarr_driver {

// Writes references to the chunks of `source`: a JSON document if `name` is "x.json", else a folder
// of Parquet files. `source` is a dataset of this driver. From GDAL 3.12 on, it may also be a
// multidimensional dataset of another driver that tells where its blocks are.
// Replaces existing references or an existing Zarr store at `name`. On failure or cancellation, the
// existing files stay. Returns the references, opened by the multidimensional API.
zarr::Result<std::unique_ptr<GDALDataset>> CopyAsReferences(const char* name, GDALDataset* source,
                                                            CSLConstList options,
                                                            GDALProgressFunc progress,
                                                            void* progress_data);

}  // namespace zarr_driver
