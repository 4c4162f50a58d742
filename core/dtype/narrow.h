// SPDX-License-Identifier: MIT
// The numbers of Zarr v3's extensions that have fewer bits than C++ has a type for
// (zarr-extensions, "data-types"): how their bits stand for values, and the conversion to types
// that hold them. A number has a byte, of bfloat16 two in the host's byte order here. Where it has
// fewer bits than that, the upper ones are ignored when read, and zero when written. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "core/base/converter.h"
#include "core/dtype/data_type.h"

namespace zarr {

struct NarrowFormat {
    NarrowType type = NarrowType::kNone;
    std::string_view name;             // Zarr v3's; complex numbers of it have "complex_" in front
    DataKind kind = DataKind::kFloat;  // kInt, kUint or kFloat
    unsigned bits = 0;                 // of one number
};

// Of any type but kNone.
const NarrowFormat& FormatOf(NarrowType type);

// The one of that name; kNone where there is none.
NarrowType NarrowTypeOf(std::string_view name);

// The little-endian data type of such numbers, or of complex numbers whose parts they are.
DataType MakeNarrowType(NarrowType type, bool is_complex);

// The value of a number, exactly.
double NarrowToDouble(NarrowType type, std::uint16_t bits);

// Rounded once to the nearest, ties to even. Integers and floats without infinities and NaN are cut
// to the nearest value there is (a NaN becomes 0, of floats with the other sign); floats with
// NaN alone have that for what is too large. float8_e8m0fnu, which has neither zero nor sign, has
// NaN for these.
std::uint16_t DoubleToNarrow(NarrowType type, double value);

// True where a value is neither too large nor of a sort that the type lacks: where rounding is all
// that DoubleToNarrow() does to it. Integers hold integers alone.
bool NarrowHolds(NarrowType type, double value);

// ReadConverter() and WriteConverter() where the stored type is narrow; none for a pair that they
// refuse. The op borrows nothing.
std::optional<Converter> NarrowReadConverter(const DataType& stored, const DataType& target);
std::optional<Converter> NarrowWriteConverter(const DataType& source, const DataType& stored);

}  // namespace zarr
