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

// CompressorIds() returns the ids of the codecs that COMPRESS can name. FilterIds() returns the ids
// of the codecs that FILTER can name. The ids are separated by commas, in the order of the codec
// registry.
std::string CompressorIds();
std::string FilterIds();

// Returns the <Option> elements that describe the options of codecs to GDAL, without an enclosing
// list element.
std::string CodecOptions();

// Makes the codecs of an array of `dtype` from COMPRESS, FILTER and the options of each codec. The
// order is: object codec if `dtype` needs one, filters, compressor. Does not check whether the
// codecs support `dtype`.
//
// `options` is GDAL's NULL-terminated list of NAME=VALUE. Appends to `warnings` if COMPRESS has a
// value that only other drivers have. Errors name the option.
zarr::Result<std::vector<zarr::CodecSpec>> MakeCodecSpecs(CSLConstList options,
                                                          const zarr::DataType& dtype,
                                                          std::vector<std::string>& warnings);

// True if `compressor` is a value of COMPRESS that only other drivers of GDAL have.
bool IsCompressorOfOthers(const char* compressor);

}  // namespace zarr_driver
