// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string_view>

#include "core/codec/codec.h"

namespace zarr_driver {

// Creates the codec `id` of image_formats.h. `options` are those of numcodecs. Returns kUnsupported
// if GDAL lacks the driver that decodes its files, or if an option or the type of the items is
// unsupported; kCorrupt for an invalid option.
zarr::Result<std::unique_ptr<zarr::Codec>> MakeImageCodec(std::string_view id,
                                                          const zarr::json::Value& options,
                                                          const zarr::CodecContext& context);

}  // namespace zarr_driver
