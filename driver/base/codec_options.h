// SPDX-License-Identifier: MIT
// Creation options that choose and configure codecs.
#pragma once

#include <cpl_port.h>

#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// Ids of the codecs that COMPRESS and FILTER can name, with commas between, in the order of the
// codec registry.
std::string CompressorIds();
std::string FilterIds();

// <Option> elements, without the list around them.
std::string CodecOptions();

// Makes codecs for an array of `dtype` from COMPRESS, FILTER and the options of the codecs: the
// codec of objects if `dtype` needs one, the filters, then the compressor. `options` is GDAL's
// NULL-terminated list of NAME=VALUE. Appends a warning if COMPRESS is a value of other drivers.
// Errors name the option. Whether the codecs take `dtype` is not checked.
zarr::Result<std::vector<zarr::CodecSpec>> MakeCodecSpecs(CSLConstList options,
                                                          const zarr::DataType& dtype,
                                                          std::vector<std::string>& warnings);

}  // namespace zarr_driver
