// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "core/codec/codec.h"

namespace zarr_driver {

// Creates the codec "grib" of kerchunk, or "gribberish" of the Python package of that name. Each
// chunk is a GRIB message, which GDAL's driver GRIB decodes to numbers in the order of the message.
// Missing values are NaN. The variables "latitude" and "longitude" are the coordinates of the grid:
// with gribberish those of the rows or columns, if the grid has degrees. `options` are those of
// numcodecs: "var", and kerchunk's "dtype". Returns kUnsupported if GDAL lacks the driver; kCorrupt
// if an option or the type of the items is invalid.
zarr::Result<std::unique_ptr<zarr::Codec>> MakeGribCodec(std::string_view id,
                                                         const zarr::json::Value& options,
                                                         const zarr::CodecContext& context);

}  // namespace zarr_driver
