// SPDX-License-Identifier: MIT
#include "core/library/conversion.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <tuple>
#include <type_traits>
#include <utility>

#include "core/dtype/stored_converter.h"

namespace zarr_core {

namespace {

using CoreKind = zarr::DataKind;
using zarr::NarrowType;

// Number of elements that are converted in one step, through a block on the stack.
constexpr std::size_t kBlock = 256;
constexpr std::size_t kLargestElement = 16;

// Boolean element in memory. A C++ bool would be invalid for a byte that is neither 0 nor 1.
struct Boolean {
    std::uint8_t byte = 0;
};

// C++ types of the values of MemoryType, in the order of the enumeration.
using Types = std::tuple<Boolean, std::int8_t, std::uint8_t, std::int16_t, std::uint16_t,
                         std::int32_t, std::uint32_t, std::int64_t, std::uint64_t, float, double,
                         std::complex<float>, std::complex<double>>;
constexpr std::size_t kTypes = std::tuple_size_v<Types>;
static_assert(kTypes == static_cast<std::size_t>(MemoryType::kElement));

template <class T>
constexpr bool kIsComplex = !std::is_arithmetic_v<T> && !std::is_same_v<T, Boolean>;

// Rounds to the nearest integer, halves away from zero. A value outside of the range of To becomes
// the nearest limit of the range.
template <class To>
To RoundToInteger(double value) {
    using Limits = std::numeric_limits<To>;
    if (std::isnan(value)) return 0;
    const double rounded = std::round(value);
    // `end` is the first integer above the range of To. Unlike the largest integer in the range, it
    // is always exact as a double.
    const double end = std::ldexp(1.0, Limits::digits);
    if (rounded >= end) return Limits::max();
    if (rounded < static_cast<double>(Limits::min())) return Limits::min();
    return static_cast<To>(rounded);
}

template <class To, class From>
To ClampInteger(From value) {
    using Limits = std::numeric_limits<To>;
    if constexpr (std::is_signed_v<From>) {
        if constexpr (std::is_signed_v<To>) {
            // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8_t is a number here
            const std::int64_t wide = value;
            return static_cast<To>(std::clamp<std::int64_t>(wide, Limits::min(), Limits::max()));
        } else {
            if (value < 0) return 0;
        }
    }
    // NOLINTNEXTLINE(bugprone-signed-char-misuse): int8_t is a number here
    const auto wide = static_cast<std::uint64_t>(value);
    return static_cast<To>(
        std::min<std::uint64_t>(wide, static_cast<std::uint64_t>(Limits::max())));
}

template <class To, class From>
To ConvertValue(From value) {
    if constexpr (std::is_same_v<From, Boolean>) {
        if constexpr (std::is_same_v<To, Boolean>)
            return Boolean{static_cast<std::uint8_t>(value.byte != 0 ? 1 : 0)};
        else
            return To(static_cast<std::uint8_t>(value.byte != 0 ? 1 : 0));
    } else if constexpr (std::is_same_v<To, Boolean>) {
        return Boolean{static_cast<std::uint8_t>(value != From(0) ? 1 : 0)};
    } else if constexpr (kIsComplex<From> && kIsComplex<To>) {
        using Part = typename To::value_type;
        return To(static_cast<Part>(value.real()), static_cast<Part>(value.imag()));
    } else if constexpr (kIsComplex<From>) {
        return ConvertValue<To>(value.real());
    } else if constexpr (kIsComplex<To>) {
        return To(static_cast<typename To::value_type>(value));
    } else if constexpr (std::is_floating_point_v<To>) {
        return static_cast<To>(value);
    } else if constexpr (std::is_floating_point_v<From>) {
        return RoundToInteger<To>(value);
    } else {
        return ClampInteger<To>(value);
    }
}

template <class To, class From>
void ConvertRow(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
                std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride) {
        From from{};
        std::memcpy(&from, src, sizeof(from));
        const To to = ConvertValue<To>(from);
        std::memcpy(dst, &to, sizeof(to));
    }
}

using Row = void (*)(std::uint8_t*, std::ptrdiff_t, const std::uint8_t*, std::ptrdiff_t,
                     std::size_t);

// Table of conversion functions. Index `to * kTypes + from` has the conversion from type `from` to
// type `to`.
template <std::size_t... kPairs>
constexpr std::array<Row, sizeof...(kPairs)> MakeRows(std::index_sequence<kPairs...> /*pairs*/) {
    return {ConvertRow<std::tuple_element_t<kPairs / kTypes, Types>,
                       std::tuple_element_t<kPairs % kTypes, Types>>...};
}
constexpr auto kRows = MakeRows(std::make_index_sequence<kTypes * kTypes>());

template <std::size_t... kIndices>
constexpr std::array<std::size_t, kTypes> MakeSizes(std::index_sequence<kIndices...> /*indices*/) {
    return {sizeof(std::tuple_element_t<kIndices, Types>)...};
}
constexpr auto kSizes = MakeSizes(std::make_index_sequence<kTypes>());

MemoryType IntegerType(std::size_t size, bool is_unsigned) {
    const int base = size == 1   ? static_cast<int>(MemoryType::kInt8)
                     : size == 2 ? static_cast<int>(MemoryType::kInt16)
                     : size == 4 ? static_cast<int>(MemoryType::kInt32)
                                 : static_cast<int>(MemoryType::kInt64);
    return static_cast<MemoryType>(base + (is_unsigned ? 1 : 0));
}

// Returns a native type that holds every value of `stored`. A number type without a MemoryType,
// such as float16, becomes a wider type.
zarr::DataType NativeDataTypeFor(const zarr::DataType& stored) {
    zarr::DataType type = stored.Native();
    if (!type.is_numeric()) return type;
    const bool is_narrow = type.narrow != NarrowType::kNone;
    const bool is_real = type.kind == CoreKind::kFloat;
    const bool is_complex = type.kind == CoreKind::kComplex;
    if (is_real && (is_narrow || type.size == 2)) type.size = sizeof(float);
    if (is_complex && (is_narrow || type.size == 4)) type.size = 2 * sizeof(float);
    type.narrow = NarrowType::kNone;
    return type;
}

zarr::Status NoConversion(const zarr::DataType& type) {
    if (type.kind == CoreKind::kObject)
        return zarr::Status::Invalid("data type " + type.ToString() +
                                     " has elements of variable length: use ReadStrings() and "
                                     "WriteStrings()");
    return zarr::Status::Invalid("data type " + type.ToString() +
                                 " is not a number: use MemoryType::kElement");
}

}  // namespace

std::size_t SizeOf(MemoryType type) noexcept {
    const auto index = static_cast<std::size_t>(type);
    return index < kTypes ? kSizes[index] : 0;
}

MemoryType MemoryTypeFor(const zarr::DataType& type) {
    switch (type.kind) {
        case CoreKind::kBool:
            return MemoryType::kBool;
        case CoreKind::kInt:
        case CoreKind::kUint:
            return IntegerType(type.size, type.kind == CoreKind::kUint);
        case CoreKind::kFloat:
            return type.size == sizeof(double) ? MemoryType::kFloat64 : MemoryType::kFloat32;
        case CoreKind::kComplex:
            return type.size == 2 * sizeof(double) ? MemoryType::kComplex128
                                                   : MemoryType::kComplex64;
        case CoreKind::kDatetime:
        case CoreKind::kTimedelta:
            return MemoryType::kInt64;
        default:
            return MemoryType::kElement;
    }
}

Conversion::Convert Conversion::Find(MemoryType to, MemoryType from) {
    return kRows[static_cast<std::size_t>(to) * kTypes + static_cast<std::size_t>(from)];
}

void Conversion::ReadRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                         const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const Conversion*>(op.context);
    std::array<std::uint8_t, kBlock * kLargestElement> block;  // NOLINT: written before it is read
    const auto block_stride = static_cast<std::ptrdiff_t>(self.inner_.dst_size);
    while (count != 0) {
        const std::size_t n = std::min(count, kBlock);
        self.inner_.row(self.inner_, block.data(), block_stride, src, src_stride, n);
        if (self.inner_.finish != nullptr) self.inner_.finish();
        self.convert_(dst, dst_stride, block.data(), block_stride, n);
        dst += static_cast<std::ptrdiff_t>(n) * dst_stride;
        src += static_cast<std::ptrdiff_t>(n) * src_stride;
        count -= n;
    }
}

void Conversion::WriteRow(const zarr::Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                          const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto& self = *static_cast<const Conversion*>(op.context);
    std::array<std::uint8_t, kBlock * kLargestElement> block;  // NOLINT: written before it is read
    const auto block_stride = static_cast<std::ptrdiff_t>(self.inner_.src_size);
    while (count != 0) {
        const std::size_t n = std::min(count, kBlock);
        self.convert_(block.data(), block_stride, src, src_stride, n);
        self.inner_.row(self.inner_, dst, dst_stride, block.data(), block_stride, n);
        if (self.inner_.finish != nullptr) self.inner_.finish();
        dst += static_cast<std::ptrdiff_t>(n) * dst_stride;
        src += static_cast<std::ptrdiff_t>(n) * src_stride;
        count -= n;
    }
}

zarr::Result<zarr::Converter> Conversion::ForReading(const zarr::DataType& stored,
                                                     MemoryType memory) {
    if (stored.kind == CoreKind::kObject) return NoConversion(stored);
    if (memory == MemoryType::kElement) {
        holding_ = stored.Native();
        return zarr::ReadConverter(stored, holding_);
    }
    const MemoryType holding = MemoryTypeFor(stored);
    if (holding == MemoryType::kElement || memory > MemoryType::kElement)
        return NoConversion(stored);
    holding_ = NativeDataTypeFor(stored);
    ZARR_ASSIGN_OR_RETURN(inner_, zarr::ReadConverter(stored, holding_));
    if (holding == memory) return inner_;
    convert_ = Find(memory, holding);
    zarr::Converter op;
    op.row = ReadRow;
    op.src_size = inner_.src_size;
    op.dst_size = SizeOf(memory);
    op.context = this;
    return op;
}

zarr::Result<zarr::Converter> Conversion::ForWriting(MemoryType memory,
                                                     const zarr::DataType& stored) {
    if (stored.kind == CoreKind::kObject) return NoConversion(stored);
    if (memory == MemoryType::kElement) {
        holding_ = stored.Native();
        return zarr::WriteConverter(holding_, stored);
    }
    const MemoryType holding = MemoryTypeFor(stored);
    if (holding == MemoryType::kElement || memory > MemoryType::kElement)
        return NoConversion(stored);
    holding_ = NativeDataTypeFor(stored);
    ZARR_ASSIGN_OR_RETURN(inner_, zarr::WriteConverter(holding_, stored));
    if (holding == memory) return inner_;
    convert_ = Find(holding, memory);
    zarr::Converter op;
    op.row = WriteRow;
    op.src_size = SizeOf(memory);
    op.dst_size = inner_.dst_size;
    op.context = this;
    return op;
}

}  // namespace zarr_core
