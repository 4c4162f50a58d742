// SPDX-License-Identifier: MIT
#include "core/dtype/narrow_types.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <limits>

#include "core/base/endian.h"
#include "core/dtype/narrow_bits.h"

namespace zarr {

namespace {

constexpr NarrowFormat kFormats[] = {
    {},
    {NarrowType::kInt2, "int2", DataKind::kInt, 2},
    {NarrowType::kInt4, "int4", DataKind::kInt, 4},
    {NarrowType::kUint2, "uint2", DataKind::kUint, 2},
    {NarrowType::kUint4, "uint4", DataKind::kUint, 4},
    {NarrowType::kBfloat16, "bfloat16", DataKind::kFloat, 16},
    {NarrowType::kFloat4E2m1fn, "float4_e2m1fn", DataKind::kFloat, 4},
    {NarrowType::kFloat6E2m3fn, "float6_e2m3fn", DataKind::kFloat, 6},
    {NarrowType::kFloat6E3m2fn, "float6_e3m2fn", DataKind::kFloat, 6},
    {NarrowType::kFloat8E3m4, "float8_e3m4", DataKind::kFloat, 8},
    {NarrowType::kFloat8E4m3, "float8_e4m3", DataKind::kFloat, 8},
    {NarrowType::kFloat8E4m3fn, "float8_e4m3fn", DataKind::kFloat, 8},
    {NarrowType::kFloat8E4m3b11fnuz, "float8_e4m3b11fnuz", DataKind::kFloat, 8},
    {NarrowType::kFloat8E4m3fnuz, "float8_e4m3fnuz", DataKind::kFloat, 8},
    {NarrowType::kFloat8E5m2, "float8_e5m2", DataKind::kFloat, 8},
    {NarrowType::kFloat8E5m2fnuz, "float8_e5m2fnuz", DataKind::kFloat, 8},
    {NarrowType::kFloat8E8m0fnu, "float8_e8m0fnu", DataKind::kFloat, 8},
};

// ---------------------------------------------------------------------------------------------
// Tables for types of one byte

template <NarrowType kType>
constexpr std::array<std::uint32_t, 256> MakeFloats() {
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t code = 0; code < 256; ++code) table[code] = DecodeNarrow<kType>(code);
    return table;
}
template <NarrowType kType>
constexpr std::array<std::uint32_t, 256> kFloats = MakeFloats<kType>();

using ByteTable = std::array<std::uint8_t, 256>;

// Makes the table that keeps the lower kBits bits of a byte and clears the upper bits.
template <unsigned kBits>
constexpr ByteTable MakeLowBits() {
    ByteTable table{};
    for (unsigned byte = 0; byte < 256; ++byte)
        table[byte] = static_cast<std::uint8_t>(byte & ((1U << kBits) - 1));
    return table;
}
template <unsigned kBits>
constexpr ByteTable kLowBits = MakeLowBits<kBits>();

constexpr int Signed(unsigned bits, unsigned code) {
    const unsigned low = code & ((1U << bits) - 1);
    return static_cast<int>(low) - ((low >> (bits - 1)) != 0 ? 1 << bits : 0);
}

// Makes the table that sign-extends the lower kBits bits of a byte to an int8.
template <unsigned kBits>
constexpr ByteTable MakeExtended() {
    ByteTable table{};
    for (unsigned byte = 0; byte < 256; ++byte)
        table[byte] = static_cast<std::uint8_t>(Signed(kBits, byte));
    return table;
}
template <unsigned kBits>
constexpr ByteTable kExtended = MakeExtended<kBits>();

// Makes the table that clamps an int8 (or uint8) to the range of an integer type of kBits bits.
template <unsigned kBits, bool kIsSigned>
constexpr ByteTable MakeCut() {
    constexpr int kMost = (1 << (kIsSigned ? kBits - 1 : kBits)) - 1;
    constexpr int kLeast = kIsSigned ? -kMost - 1 : 0;
    ByteTable table{};
    for (unsigned byte = 0; byte < 256; ++byte) {
        const int value = kIsSigned ? Signed(8, byte) : static_cast<int>(byte);
        table[byte] = static_cast<std::uint8_t>(
            static_cast<unsigned>(std::clamp(value, kLeast, kMost)) & ((1U << kBits) - 1));
    }
    return table;
}
template <unsigned kBits, bool kIsSigned>
constexpr ByteTable kCut = MakeCut<kBits, kIsSigned>();

// Type as a compile-time constant, which VisitFloat() passes to its visitor.
template <NarrowType kType>
struct NarrowTag {
    static constexpr NarrowType kValue = kType;
};
template <class Visit>
auto VisitFloat(NarrowType type, Visit&& visit) {
    switch (type) {
        case NarrowType::kFloat4E2m1fn:
            return visit(NarrowTag<NarrowType::kFloat4E2m1fn>());
        case NarrowType::kFloat6E2m3fn:
            return visit(NarrowTag<NarrowType::kFloat6E2m3fn>());
        case NarrowType::kFloat6E3m2fn:
            return visit(NarrowTag<NarrowType::kFloat6E3m2fn>());
        case NarrowType::kFloat8E3m4:
            return visit(NarrowTag<NarrowType::kFloat8E3m4>());
        case NarrowType::kFloat8E4m3:
            return visit(NarrowTag<NarrowType::kFloat8E4m3>());
        case NarrowType::kFloat8E4m3fn:
            return visit(NarrowTag<NarrowType::kFloat8E4m3fn>());
        case NarrowType::kFloat8E4m3b11fnuz:
            return visit(NarrowTag<NarrowType::kFloat8E4m3b11fnuz>());
        case NarrowType::kFloat8E4m3fnuz:
            return visit(NarrowTag<NarrowType::kFloat8E4m3fnuz>());
        case NarrowType::kFloat8E5m2:
            return visit(NarrowTag<NarrowType::kFloat8E5m2>());
        case NarrowType::kFloat8E5m2fnuz:
            return visit(NarrowTag<NarrowType::kFloat8E5m2fnuz>());
        case NarrowType::kFloat8E8m0fnu:
            return visit(NarrowTag<NarrowType::kFloat8E8m0fnu>());
        default:
            return visit(NarrowTag<NarrowType::kBfloat16>());
    }
}

// Returns a float32 that all types of this file round exactly like the double `value`. If `value`
// is no float32, truncates it and sets the last bit ("round to odd").
float ForRounding(double value) {
    constexpr float kLargest = std::numeric_limits<float>::max();
    if (std::isinf(value) || std::isnan(value)) return static_cast<float>(value);
    const auto nearest = std::fabs(value) > static_cast<double>(kLargest)
                             ? static_cast<float>(std::copysign(kLargest, value))
                             : static_cast<float>(value);
    if (static_cast<double>(nearest) == value) return nearest;
    auto bits = LoadNative<std::uint32_t>(&nearest);
    if (std::fabs(static_cast<double>(nearest)) > std::fabs(value)) --bits;
    bits |= 1U;
    return LoadNative<float>(&bits);
}

// ---------------------------------------------------------------------------------------------
// Rows

// Row function of a converter: converts elements of one byte (complex: two bytes) with a table.
void TableRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
              const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const ByteTable& table = *static_cast<const ByteTable*>(op.context);
    const bool is_complex = op.dst_size == 2;
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        dst[0] = table[src[0]];
        if (is_complex) dst[1] = table[src[1]];
    }
}

void ToInt16Row(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const ByteTable& extended = *static_cast<const ByteTable*>(op.context);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        StoreNative(dst, static_cast<std::int16_t>(static_cast<std::int8_t>(extended[*src])));
}

void FromInt16Row(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                  const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const ByteTable& cut = *static_cast<const ByteTable*>(op.context);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        const auto value = std::clamp<std::int16_t>(LoadNative<std::int16_t>(src), -128, 127);
        *dst = cut[static_cast<std::uint8_t>(value)];
    }
}

template <int kParts>
void ToFloatRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& floats = *static_cast<const std::array<std::uint32_t, 256>*>(op.context);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        for (int part = 0; part < kParts; ++part) StoreNative(dst + 4 * part, floats[src[part]]);
}

template <NarrowType kType, int kParts>
void FromFloatRow(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                  const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        for (int part = 0; part < kParts; ++part)
            dst[part] = static_cast<std::uint8_t>(
                EncodeNarrow<kType>(LoadNative<std::uint32_t>(src + 4 * part)));
}

std::uint16_t Reversed(std::uint16_t bits) {
    return static_cast<std::uint16_t>((bits << 8) | (bits >> 8));
}

template <int kParts, bool kSwap>
void FromBfloat16Row(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                     const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        for (int part = 0; part < kParts; ++part) {
            const auto bits = LoadNative<std::uint16_t>(src + 2 * part);
            StoreNative(dst + 4 * part, std::uint32_t{kSwap ? Reversed(bits) : bits} << 16);
        }
}

template <int kParts, bool kSwap>
void ToBfloat16Row(const Converter& /*op*/, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                   const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        for (int part = 0; part < kParts; ++part) {
            const auto bits = static_cast<std::uint16_t>(
                EncodeNarrow<NarrowType::kBfloat16>(LoadNative<std::uint32_t>(src + 4 * part)));
            StoreNative(dst + 2 * part, kSwap ? Reversed(bits) : bits);
        }
}

Converter MakeOp(Converter::Row row, const void* table, std::size_t src_size,
                 std::size_t dst_size) {
    Converter op;
    op.row = row;
    op.src_size = src_size;
    op.dst_size = dst_size;
    op.context = table;
    return op;
}

// Returns the converter that copies numbers of a bfloat16, float8, int4 or similar type and clears
// unused bits. Equal numbers then have equal bytes.
Converter SameTypeOp(const DataType& type) {
    const unsigned bits = FormatOf(type.narrow).bits;
    if (bits == 16 && type.NeedsSwap()) return SwapConverter(type.size, 2);
    if (bits >= 8) return CopyConverter(type.size);
    const ByteTable* const table = bits == 2   ? &kLowBits<2>
                                   : bits == 4 ? &kLowBits<4>
                                               : &kLowBits<6>;
    return MakeOp(TableRow, table, type.size, type.size);
}

// True if `plain` is an ordinary number type that represents every value of `narrow`.
bool Holds(const DataType& plain, const DataType& narrow) {
    if (plain.narrow != NarrowType::kNone || plain.kind != narrow.kind || plain.NeedsSwap())
        return false;
    switch (plain.kind) {
        case DataKind::kInt:
            return plain.size <= 2;
        case DataKind::kUint:
            return plain.size == 1;
        case DataKind::kFloat:
            return plain.size == 4;
        default:
            return plain.size == 8;
    }
}

bool IsSameType(const DataType& a, const DataType& b) {
    return a.narrow == b.narrow && a.kind == b.kind;
}

template <int kParts>
Converter ReadFloats(const DataType& stored, std::size_t size) {
    if (stored.narrow == NarrowType::kBfloat16)
        return MakeOp(
            stored.NeedsSwap() ? FromBfloat16Row<kParts, true> : FromBfloat16Row<kParts, false>,
            nullptr, stored.size, size);
    const void* const table = VisitFloat(stored.narrow, [](auto tag) -> const void* {
        if constexpr (decltype(tag)::kValue == NarrowType::kBfloat16)
            return nullptr;
        else
            return &kFloats<decltype(tag)::kValue>;
    });
    return MakeOp(ToFloatRow<kParts>, table, stored.size, size);
}

template <int kParts>
Converter WriteFloats(const DataType& stored, std::size_t size) {
    const Converter::Row row = VisitFloat(stored.narrow, [&](auto tag) -> Converter::Row {
        if constexpr (decltype(tag)::kValue == NarrowType::kBfloat16)
            return stored.NeedsSwap() ? ToBfloat16Row<kParts, true> : ToBfloat16Row<kParts, false>;
        else
            return FromFloatRow<decltype(tag)::kValue, kParts>;
    });
    return MakeOp(row, nullptr, size, stored.size);
}

}  // namespace

const NarrowFormat& FormatOf(NarrowType type) { return kFormats[static_cast<std::size_t>(type)]; }

NarrowType NarrowTypeOf(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kFormats) + 1, std::end(kFormats),
                     [&](const NarrowFormat& format) { return format.name == name; });
    return found == std::end(kFormats) ? NarrowType::kNone : found->type;
}

DataType MakeNarrowType(NarrowType type, bool is_complex) {
    const NarrowFormat& format = FormatOf(type);
    DataType made;
    made.kind = is_complex ? DataKind::kComplex : format.kind;
    made.size = (format.bits + 7) / 8 * (is_complex ? 2 : 1);
    made.order = format.bits > 8 ? ByteOrder::kLittle : ByteOrder::kNotRelevant;
    made.narrow = type;
    return made;
}

double NarrowToDouble(NarrowType type, std::uint16_t bits) {
    const NarrowFormat& format = FormatOf(type);
    if (format.kind == DataKind::kInt) return Signed(format.bits, bits);
    if (format.kind == DataKind::kUint)
        return static_cast<double>(bits & ((1U << format.bits) - 1));
    const std::uint32_t wide =
        VisitFloat(type, [&](auto tag) { return DecodeNarrow<decltype(tag)::kValue>(bits); });
    return static_cast<double>(LoadNative<float>(&wide));
}

std::uint16_t DoubleToNarrow(NarrowType type, double value) {
    const NarrowFormat& format = FormatOf(type);
    if (format.kind != DataKind::kFloat) {
        const bool is_signed = format.kind == DataKind::kInt;
        const int most = (1 << (is_signed ? format.bits - 1 : format.bits)) - 1;
        const int least = is_signed ? -most - 1 : 0;
        if (std::isnan(value)) return 0;
        const double cut = std::clamp(value, double{1} * least, double{1} * most);
        const auto code = static_cast<unsigned>(static_cast<int>(std::nearbyint(cut)));
        return static_cast<std::uint16_t>(code & ((1U << format.bits) - 1));
    }
    const float rounded = ForRounding(value);
    const auto bits = LoadNative<std::uint32_t>(&rounded);
    return static_cast<std::uint16_t>(
        VisitFloat(type, [&](auto tag) { return EncodeNarrow<decltype(tag)::kValue>(bits); }));
}

bool IsRepresentable(NarrowType type, double value) {
    const double rounded = NarrowToDouble(type, DoubleToNarrow(type, value));
    if (std::isnan(value) || std::isnan(rounded)) return std::isnan(value) && std::isnan(rounded);
    if (std::isinf(value) || std::isinf(rounded) || FormatOf(type).kind != DataKind::kFloat)
        return rounded == value;
    // Types without infinity clamp numbers that are too large. A number above the largest one is
    // accepted only if it is within half a step, and thus rounded to the largest one.
    if (std::fabs(value) <= std::fabs(rounded)) return true;
    if (LayoutOf(type).specials != Specials::kFinite) return true;
    const FloatFormat layout = LayoutOf(type);
    const double largest = NarrowToDouble(type, static_cast<std::uint16_t>(layout.largest()));
    const double next = NarrowToDouble(type, static_cast<std::uint16_t>(layout.largest() - 1));
    return std::fabs(value) < largest + (largest - next) / 2;
}

std::optional<Converter> NarrowReadConverter(const DataType& stored, const DataType& target) {
    if (IsSameType(stored, target)) return SameTypeOp(stored);
    if (!Holds(target, stored)) return std::nullopt;
    const bool is_2 = FormatOf(stored.narrow).bits == 2;
    switch (target.kind) {
        case DataKind::kInt:
            return MakeOp(target.size == 1 ? TableRow : ToInt16Row,
                          is_2 ? &kExtended<2> : &kExtended<4>, 1, target.size);
        case DataKind::kUint:
            return MakeOp(TableRow, is_2 ? &kLowBits<2> : &kLowBits<4>, 1, 1);
        case DataKind::kFloat:
            return ReadFloats<1>(stored, target.size);
        default:
            return ReadFloats<2>(stored, target.size);
    }
}

std::optional<Converter> NarrowWriteConverter(const DataType& source, const DataType& stored) {
    if (IsSameType(source, stored)) return SameTypeOp(stored);
    if (!Holds(source, stored)) return std::nullopt;
    const bool is_2 = FormatOf(stored.narrow).bits == 2;
    switch (source.kind) {
        case DataKind::kInt:
            return MakeOp(source.size == 1 ? TableRow : FromInt16Row,
                          is_2 ? &kCut<2, true> : &kCut<4, true>, source.size, 1);
        case DataKind::kUint:
            return MakeOp(TableRow, is_2 ? &kCut<2, false> : &kCut<4, false>, 1, 1);
        case DataKind::kFloat:
            return WriteFloats<1>(stored, source.size);
        default:
            return WriteFloats<2>(stored, source.size);
    }
}

}  // namespace zarr
