// SPDX-License-Identifier: MIT
// Whether the fill value of an array stands for missing data. Every array of Zarr v3 has a fill
// value, which is only a default in most of them.
#pragma once

#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// The attribute of arrays of Zarr v3 that says whether the fill value stands for missing data:
// 1 or 0; older stores have true or false.
inline constexpr std::string_view kHasNodataAttribute = "gdal_has_nodata";

// True for the value that a data type has by default: zero, false, an empty text.
bool IsDefaultFill(const DataType& type, const FillValue& fill);

// True where one of the attributes `_FillValue` and `missing_value` says what is missing.
bool NamesNodata(const json::Value& attributes);

// The meaning that `attributes` state by kHasNodataAttribute.
FillMeaning StatedFillMeaning(const json::Value& attributes);

// True where the fill value of an array that has one stands for missing data, as long as no
// attribute names another value. In Zarr v2 it does. In v3 the array states it
// (ArrayMetadata::fill_meaning); else a fill value other than the default does, and the default
// where GDAL's own driver wrote the array, which stores nodata values so.
bool IsFillMissing(const ArrayMetadata& metadata, const json::Value& attributes);

// The value of kHasNodataAttribute that an array of Zarr v3 needs with `attributes` so that its
// fill value has the meaning `is_missing`; null where it has that meaning without.
json::Value FillMark(const ArrayMetadata& metadata, const json::Value& attributes, bool is_missing);

}  // namespace zarr
