// SPDX-License-Identifier: MIT
// Warnings about filters that change values without an error, as the filters of numcodecs do.
#pragma once

#include <string>
#include <vector>

#include "core/codec/codec_spec.h"
#include "core/dtype/data_type.h"

namespace zarr_driver {

// Returns a warning if the filters among `codecs` change NaN. If no filter is meant to round, also
// warns if they change any number of `dtype`. Returns an empty text if there is nothing to warn
// about.
std::string FilterWarning(const std::vector<zarr::CodecSpec>& codecs, const zarr::DataType& dtype);

// Returns a warning if the filters among `codecs` change the nodata value `element`, an element of
// `dtype` in the host's byte order. Returns an empty text if they do not.
std::string NodataFilterWarning(const std::vector<zarr::CodecSpec>& codecs,
                                const zarr::DataType& dtype, const std::string& element);

}  // namespace zarr_driver
