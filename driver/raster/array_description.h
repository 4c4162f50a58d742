// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <optional>

#include "core/array/array.h"

namespace zarr_driver {

// The metadata domain of what is said here, of datasets and, where several arrays are bands, of
// those.
inline constexpr const char* kZarrDomain = "ZARR";

// Adds what users of Zarr look for in an array, as NAME=VALUE: its format, types and sizes, and of
// a listing of its chunks how much is stored. The codecs are not among it.
void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list);

// Adds COMPRESSOR and FILTERS, each where there are any.
void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list);

}  // namespace zarr_driver
