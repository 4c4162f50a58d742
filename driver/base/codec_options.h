// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <vector>

#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// The codecs that FILTER, a list of names in encoding order, COMPRESS and their options ask for;
// with the codec of objects in front where `dtype` needs one. Errors name the option.
zarr::Result<std::vector<zarr::CodecSpec>> MakeCodecSpecs(CSLConstList options,
                                                          const zarr::DataType& dtype);

}  // namespace zarr_driver
