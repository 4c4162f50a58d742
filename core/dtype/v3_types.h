// SPDX-License-Identifier: MIT
// Data types and fill values of `zarr.json` (Zarr v3 specification, "Data types", and
// zarr-extensions, "data-types"). Thread-safe.
#pragma once

#include <string>
#include <string_view>

#include "core/dtype/data_type.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"

namespace zarr {

// Parses "data_type": a name, or an object with a name and a configuration. Types with a byte order
// are little-endian; the "bytes" codec states the stored order, see WithByteOrder(). Strings are
// kObject with `object_kind`; `r<bits>` and raw_bytes are kVoid; null_terminated_bytes is kBytes;
// fixed_length_utf32 is kUnicode. "structured" is an old name of "struct". Errors begin with
// "data_type": kUnsupported for an unknown name, kCorrupt for an invalid or unknown member of the
// configuration, kLimit for too large elements and too deeply nested structures.
//
// zarrs.optional (written by the program zarrs) becomes its element type, with `missing` set to the
// element that represents a missing value. Missing is NaN for floats and complex numbers, NaT for
// times, the smallest signed or the largest unsigned integer. Fails with kUnsupported for types
// without such a value.
Result<DataType> ParseV3DataType(const json::Value& value);

// Returns "data_type" for a new array; ignores the byte order. kVoid becomes `r<bits>`, and kObject
// of unknown kind becomes "string". kStruct becomes "structured" with pairs, which every
// zarr-python 3 reads. Fails with kUnsupported for subarrays. Fails with kInvalidArgument for other
// types without a v3 name: empty elements, fields without a unique name, too large time multiples.
Result<json::Value> V3DataTypeToJson(const DataType& type);

// Returns a type's name for messages: the text of V3DataTypeToJson(), shortened if long. If the
// type has no v3 name, returns ToString().
std::string V3DataTypeText(const DataType& type);

// Parses "fill_value" into one element of `type`, strictly by the type's specification. For kObject
// the result is the text or the bytes. Bytes and structures may also be base64, as zarr-python
// writes; base64 of a structure has the byte order of `type`. For a type with a `missing` element,
// null means missing, and [value] is a present value. Errors begin with "fill_value: "; an invalid
// value is kCorrupt.
Result<FillValue> ParseV3FillValue(const DataType& type, const json::Value& value);

// Returns "fill_value" for `element`, the bytes of one element in the host's byte order. For
// kObject, `element` is the text or the bytes. A structure becomes base64 in the byte order of
// `type`. ParseV3FillValue() restores all bits that the type uses. Fails with kInvalidArgument if
// `element` has a wrong size, or is text that UTF-8 cannot represent.
Result<json::Value> V3FillValueToJson(const DataType& type, std::string_view element);

}  // namespace zarr
