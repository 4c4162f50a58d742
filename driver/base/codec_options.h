// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include "core/dtype/data_type.h"
#include "core/json/value.h"

namespace zarr_driver {

// The value of `compressor` in `.zarray` that COMPRESS and the options of its methods ask for.
zarr::Result<zarr::json::Value> MakeCompressor(CSLConstList options);

// The value of `filters` that FILTER, a list of names in the order of encoding, and their options
// ask for; with the codec of objects in front where `dtype` needs one.
zarr::Result<zarr::json::Value> MakeFilters(CSLConstList options, const zarr::DataType& dtype);

}  // namespace zarr_driver
