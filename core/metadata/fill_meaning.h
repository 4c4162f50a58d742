// SPDX-License-Identifier: MIT
// Meaning of an array's fill value: either missing data, or only a default value. Every Zarr v3
// array has a fill value, which usually is only a default.
#pragma once

#include <array>
#include <string_view>

#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Attribute of Zarr v3 arrays that states whether the fill value means missing data: 1 if so, else
// 0. Older stores have true or false.
inline constexpr std::string_view kHasNodataAttribute = "gdal_has_nodata";

// Attributes that state nodata values, in the order in which a reader uses them. CF defines the
// first two. The others are plain numbers of Python programs; `nodatavals` is a list with a number
// for each band.
inline constexpr std::array<std::string_view, 5> kNodataAttributes = {
    "_FillValue", "missing_value", "fill_value", "nodata", "nodatavals"};
inline constexpr std::string_view kNodataOfBands = "nodatavals";

// True for a name in kNodataAttributes.
bool IsNodataAttribute(std::string_view name);
// True for a name in kNodataAttributes that CF defines.
bool IsNodataOfCf(std::string_view name);

// Returns the value of one of kNodataAttributes: the item of a list with one item, the first item
// of `nodatavals`, or that of another plain attribute whose items are equal. Returns nullptr if the
// attribute is absent, or if the value is null.
const json::Value* NodataStatement(const json::Value& attributes, std::string_view name);

// True if `fill` is the default value of the data type: zero, false, or an empty text.
bool IsDefaultFill(const DataType& type, const FillValue& fill);

// True if an attribute of CF, `_FillValue` or `missing_value`, names a nodata value.
bool NamesNodata(const json::Value& attributes);

// Returns the meaning of the fill value that kHasNodataAttribute in `attributes` states.
FillMeaning StatedFillMeaning(const json::Value& attributes);

// True if the array's fill value means missing data. The caller must check that no attribute names
// another nodata value. In Zarr v2, every fill value means missing data.
//
// In v3, ArrayMetadata::fill_meaning decides, unless it is kUnstated. In that case, the default
// fill value of the data type means missing data only in arrays of GDAL's built-in driver. Every
// other fill value means missing data.
bool FillMeansMissing(const ArrayMetadata& metadata, const json::Value& attributes);

// Returns the value of the attribute kHasNodataAttribute for a Zarr v3 array: 1 if `is_missing`,
// else 0. `is_missing` is true if the fill value means missing data. Returns null if readers know
// this without the attribute.
json::Value FillMeaningAttribute(const ArrayMetadata& metadata, const json::Value& attributes,
                                 bool is_missing);

}  // namespace zarr
