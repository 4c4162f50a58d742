// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>

#include "core/base/status.h"

namespace zarr_driver {

// Writes references to the chunks of `source`: a JSON document if `name` is "x.json", else a folder
// of Parquet files. `source` is a dataset of this driver or, from GDAL 3.12 on, any
// multidimensional dataset that tells where its blocks are. Replaces references or a Zarr store at
// `name`, which stay on failure or cancellation. Returns the references, opened by the
// multidimensional API.
zarr::Result<std::unique_ptr<GDALDataset>> CopyAsReferences(const char* name, GDALDataset* source,
                                                            CSLConstList options,
                                                            GDALProgressFunc progress,
                                                            void* progress_data);

}  // namespace zarr_driver
