// SPDX-License-Identifier: MIT
// Meaning of an array's fill value: either missing data, or only a default value. Every Zarr v3
// array has a fill value, which usually is only a default.
#pragma once

#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Attribute of Zarr v3 arrays that states whether the fill value means missing data: 1 if so, else
// 0. Older stores have true or false.
inline constexpr std::string_view kHasNodataAttribute = "gdal_has_nodata";

// True if `fill` is the default value of the data type: zero, false, or an empty text.
bool IsDefaultFill(const DataType& type, const FillValue& fill);

// True if the attribute `_FillValue` or `missing_value` names a nodata value.
bool NamesNodata(const json::Value& attributes);

// Returns the meaning of the fill value that kHasNodataAttribute in `attributes` states.
FillMeaning StatedFillMeaning(const json::Value& attributes);

// True if the array's fill value means missing data. The caller must check that no attribute names
// another nodata value. Always true for a fill value in Zarr v2. In v3, ArrayMetadata::fill_meaning
// decides if the meaning is stated. Otherwise true for a fill value other than the default, and for
// arrays that GDAL's built-in driver wrote.
bool FillMeansMissing(const ArrayMetadata& metadata, const json::Value& attributes);

// Returns the value that the attribute kHasNodataAttribute of a Zarr v3 array needs. `is_missing`
// is true if the fill value means missing data. Returns null if the array with `attributes` needs
// no such attribute.
json::Value FillMeaningAttribute(const ArrayMetadata& metadata, const json::Value& attributes,
                                 bool is_missing);

}  // namespace zarr
