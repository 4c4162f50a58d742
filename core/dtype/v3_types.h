// SPDX-License-Identifier: MIT
// The data types and fill values of Zarr v3's `zarr.json` (its specification, "Data types", and
// zarr-extensions, "data-types"). Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {

// The value of "data_type": a name, or an object with a name and a configuration. What has a byte
// order is little-endian, as that is said by the "bytes" codec: see WithByteOrder(). Strings are
// kObject with their `object_kind`, `r<bits>` and raw_bytes are kVoid, null_terminated_bytes is
// kBytes, fixed_length_utf32 is kUnicode; "structured" is the old name of "struct". Errors begin
// with "data_type": kUnsupported for a name that is not known, kCorrupt for what its text does not
// allow, members of the configuration that it does not have among them, kLimit.
//
// zarrs.optional, of the program zarrs, is the type of its elements with a `missing` one: NaN of
// floats and complex numbers, NaT of times, the least signed and the largest unsigned integer.
// kUnsupported where the type has no such value.
Result<DataType> ParseV3DataType(const json::Value& value);

// The value of "data_type" of a new array, in any byte order. kVoid is `r<bits>`, kStruct
// "structured" with pairs, which every zarr-python 3 reads, kObject of unknown kind "string".
// kUnsupported for subarrays, kInvalidArgument for what else v3 has no name for: elements of no
// bytes, fields without a name of their own, too large multiples of a time unit.
Result<json::Value> V3DataTypeToJson(const DataType& type);

// How messages name a type: the beginning of what V3DataTypeToJson() makes of it, or ToString()
// where that fails.
std::string V3DataTypeText(const DataType& type);

// One element of `type` from the value of "fill_value", by the letter of the type's text; of
// kObject the text or the bytes themselves. Bytes and structures may be base64 as well as an array
// or an object, as zarr-python writes the former; base64 of a structure is in the byte order of
// `type`. Of a type with a `missing` element null is that, and [value] is another. Errors begin
// with "fill_value: " and are kCorrupt.
Result<FillValue> ParseV3FillValue(const DataType& type, const json::Value& value);

// The value of "fill_value", of which ParseV3FillValue() makes the same element, bit by bit, but
// for bits that the type ignores: from the bytes of one element in the host's byte order, of
// kObject from the text or the bytes themselves. A structure is base64 in the byte order of `type`.
// kInvalidArgument where `element` has another size than the type, or is text that UTF-8 cannot
// hold.
Result<json::Value> V3FillValueToJson(const DataType& type, std::string_view element);

}  // namespace zarr
