// SPDX-License-Identifier: MIT
// Numbers of Zarr v3 extensions with fewer bits than any C++ type (zarr-extensions, "data-types"):
// their values, and conversion to wider types. A number takes one byte; bfloat16 takes two bytes in
// the host's byte order. Unused upper bits are ignored when read and zero when written.
// Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/row_converter.h"
#include "core/dtype/data_type.h"

namespace zarr {

struct NarrowFormat {
    NarrowType type = NarrowType::kNone;
    std::string_view name;             // Zarr v3's name; complex numbers add the prefix "complex_"
    DataKind kind = DataKind::kFloat;  // kInt, kUint or kFloat
    unsigned bits = 0;                 // bits of one number
};

// Returns the format of `type`, which must not be kNone.
const NarrowFormat& FormatOf(NarrowType type);

// Returns the bfloat16, float8 or similar type with Zarr v3's `name`; kNone if no such type has
// that name.
NarrowType NarrowTypeOf(std::string_view name);

// Returns the little-endian data type whose numbers, or whose complex parts, have the type `type`.
DataType MakeNarrowType(NarrowType type, bool is_complex);

// Returns the exact value of a bfloat16, float8 or similar number, given by its bits.
double NarrowToDouble(NarrowType type, std::uint16_t bits);

// Rounds `value` once to the nearest number of `type`, ties to even. Types without infinity and NaN
// clamp to their range, and NaN becomes 0 (negative zero for a positive NaN in floats). Floats with
// NaN but without infinity return NaN on overflow. float8_e8m0fnu has neither zero nor sign and
// returns NaN for zero and negative values.
std::uint16_t DoubleToNarrow(NarrowType type, double value);

// True if `value` is in the type's range, so that DoubleToNarrow() only rounds. NaN and infinity
// are in the range only if the type has them. Integer types hold only integers.
bool IsRepresentable(NarrowType type, double value);

// Make the converters of ReadConverter() and WriteConverter() for a stored type such as bfloat16 or
// float8. Return nullopt for an unsupported pair of types. The converters do not refer to `stored`,
// `target` or `source`.
std::optional<Converter> NarrowReadConverter(const DataType& stored, const DataType& target);
std::optional<Converter> NarrowWriteConverter(const DataType& source, const DataType& stored);

}  // namespace zarr
