// SPDX-License-Identifier: MIT
// Changes dimensions of the arrays of a new raster, which must be open for update.
#pragma once

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Replaces dimensions of new arrays by dimensions of other arrays in the group. A dimension is
// replaced only by a dimension of equal size with equal coordinates or none. The other arrays do
// not change.
zarr::Status ShareDimensions(ZarrDataset& dataset);

// Replaces the only array of `dataset`, which must be new and unwritten. The new array has the same
// path, data type and size, but other dimensions along the bands. `attributes` are those of the
// replaced array, including pending changes.
zarr::Status ReplaceArray(ZarrDataset& dataset, const zarr::ArrayMetadata& metadata,
                          const zarr::json::Object& attributes);

}  // namespace zarr_driver
