// SPDX-License-Identifier: MIT
// Meaning of an array's fill value: missing data or a mere default. Every Zarr v3 array has a fill
// value, which usually is a mere default.
#pragma once

#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Attribute of Zarr v3 arrays that states whether the fill value means missing data: 1 or 0. Older
// stores have true or false.
inline constexpr std::string_view kHasNodataAttribute = "gdal_has_nodata";

// True if `fill` is the default value of the data type: zero, false, or an empty text.
bool IsDefaultFill(const DataType& type, const FillValue& fill);

// True if the attribute `_FillValue` or `missing_value` names a nodata value.
bool NamesNodata(const json::Value& attributes);

// Returns the meaning of the fill value that kHasNodataAttribute in `attributes` states.
FillMeaning StatedFillMeaning(const json::Value& attributes);

// True if the array's fill value means missing data, provided that no attribute names another
// value. Always true for a fill value in Zarr v2. In v3, ArrayMetadata::fill_meaning decides if
// stated. Otherwise, true for a fill value other than the default, and for arrays that GDAL's
// built-in driver wrote.
bool FillMeansMissing(const ArrayMetadata& metadata, const json::Value& attributes);

// Returns the value of kHasNodataAttribute that a Zarr v3 array needs for the meaning `is_missing`.
// Null if the array with `attributes` has that meaning without the attribute.
json::Value FillMeaningAttribute(const ArrayMetadata& metadata, const json::Value& attributes,
                                 bool is_missing);

}  // namespace zarr
