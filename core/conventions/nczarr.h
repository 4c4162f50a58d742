// SPDX-License-Identifier: MIT
// What netCDF-C's NCZarr adds to a Zarr v2 store (its documentation, "NCZarr Metadata").
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.h"

namespace zarr {

// The dimensions of an array as fully qualified names ("/group/lat"), from `_NCZARR_ARRAY` or
// `_nczarr_array` in `.zarray` or `.zattrs`; nullopt where it has none, or not `rank` of them.
std::optional<std::vector<std::string>> NczarrDimensions(const json::Object& array_document,
                                                         const json::Value& attributes,
                                                         std::size_t rank);

// True for attributes that are netCDF-C's own bookkeeping.
bool IsNczarrAttribute(std::string_view name);

}  // namespace zarr
