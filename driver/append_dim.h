// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

#include "core/base/status.h"
#include "driver/creation_options.h"
#include "driver/dataset.h"

namespace zarr_driver {

// Writes the bands of `source` as slices of an array that is there, along the dimension that
// `options` name. A slice whose coordinate is there already is written anew; others make the
// dimension grow, in every array that has it, coordinates included. The new sizes are written when
// all else has been, so that whoever reads meanwhile, or after a fault, finds the store as it was.
//
// Returns the array, open for update. After a failure or cancellation, which the status or, where
// it was GDAL that failed, an emitted error tells, the chunks beyond the array's end are removed,
// but those of slices that were there may hold some new pixels.
zarr::Result<std::unique_ptr<ZarrDataset>> AppendAlong(const std::string& name, GDALDataset& source,
                                                       const CreationOptions& options,
                                                       GDALProgressFunc progress,
                                                       void* progress_data);

}  // namespace zarr_driver
