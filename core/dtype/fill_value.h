// SPDX-License-Identifier: MIT
// Fill values, from JSON to the bytes of one element and never through a double.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/dtype/data_type.h"

namespace zarr {

// Bytes of one element of `type`, in the host's byte order, from the JSON of `.zarray`'s
// "fill_value" (Zarr v2 specification, "Fill value encoding"). `value` must not be null. For
// kObject the result is the string or the bytes themselves. Accepts besides the specification what
// zarr-python writes: 0 and "" for S, U, V and structured types, booleans and numbers for each
// other, integral floats for integers, complex numbers as one number, "NaN" or [re, im]; and for
// integers and floats decimal text, as n5-zarr, early bioformats2raw and, where a uint64 does not
// fit an int64, GDAL's own driver write it, and zarr-python 2 reads it.
Result<std::string> ParseFillValue(const DataType& type, const json::Value& value);

// The JSON of "fill_value" as zarr-python spells it, from one element of `type` as ParseFillValue()
// gives it, which takes the result back to `element`, except that every NaN becomes the same one.
// Floats are JSON numbers, or the strings "NaN", "Infinity" and "-Infinity"; times their ticks,
// NaT too; S without its padding, V and structured types base64; U and objects text.
// kInvalidArgument where `element` has another size than the type, or is text (U, objects) that
// UTF-8 cannot hold.
Result<json::Value> FillValueToJson(const DataType& type, std::string_view element);

}  // namespace zarr
