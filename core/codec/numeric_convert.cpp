// SPDX-License-Identifier: MIT
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/endian.h"
#include "core/base/half.h"
#include "core/codec/numeric.h"

namespace zarr {

namespace {

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "float casts rely on infinities");

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

// Towards zero; the smallest integer where `value` is not in range, as x86's instructions do it.
template <class Int>
Int Truncate(double value) {
    constexpr Int kMin = std::numeric_limits<Int>::min();
    constexpr double kEnd = -static_cast<double>(kMin);
    // Doubles just below the smallest int32 truncate to it; below the smallest int64 is none.
    constexpr double kBelow = sizeof(Int) == 8 ? -kEnd : -kEnd - 1.0;
    const bool above = sizeof(Int) == 8 ? value >= kBelow : value > kBelow;
    return above && value < kEnd ? static_cast<Int>(value) : kMin;
}

// C++ leaves a float that does not fit undefined; these are the steps that compilers take on
// x86-64, where NumPy's results are known: large unsigned integers are truncated less their top
// bit, small integers are the low bits of an int32.
template <class To>
To FloatToInteger(double value) {
    using Signed = std::conditional_t<sizeof(To) == 8, std::int64_t, std::int32_t>;
    if constexpr (std::is_unsigned_v<To> && sizeof(To) >= 4) {
        constexpr double kTop = -static_cast<double>(std::numeric_limits<Signed>::min());
        if (value >= kTop)
            return static_cast<To>(Truncate<Signed>(value - kTop)) ^
                   (To{1} << (sizeof(To) * 8 - 1));
    }
    return static_cast<To>(Truncate<Signed>(value));
}

template <class To, class From>
To Convert(From value) {
    if constexpr (std::is_same_v<From, BoolByte>) {
        return Convert<To>(static_cast<std::uint8_t>(value.byte != 0));
    } else if constexpr (std::is_same_v<From, Half>) {
        return Convert<To>(HalfToFloat(value.bits));
    } else if constexpr (std::is_same_v<To, BoolByte>) {
        return {static_cast<std::uint8_t>(value != From{} ? 1 : 0)};
    } else if constexpr (IsComplex<To>::value) {
        using Part = typename To::value_type;
        if constexpr (IsComplex<From>::value)
            return {Convert<Part>(value.real()), Convert<Part>(value.imag())};
        else
            return {Convert<Part>(value), Part{}};
    } else if constexpr (IsComplex<From>::value) {
        return Convert<To>(value.real());
    } else if constexpr (std::is_same_v<To, Half>) {
        return {DoubleToHalf(static_cast<double>(value))};
    } else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        return FloatToInteger<To>(static_cast<double>(value));
    } else {
        return static_cast<To>(value);
    }
}

template <class From, class To>
void ConvertRows(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
        StoreNative(dst + i * sizeof(To), Convert<To>(LoadNative<From>(src + i * sizeof(From))));
}

// Times have a meaning of their own only for times of the same unit.
bool AreConvertible(const DataType& from, const DataType& to) {
    if (!from.is_time()) return true;
    if (to.kind == DataKind::kInt || to.kind == DataKind::kUint) return true;
    return to.kind == from.kind && to.time_unit == from.time_unit &&
           to.time_multiple == from.time_multiple;
}

bool AreSameInMemory(const DataType& a, const DataType& b) {
    return a.size == b.size && (a.kind == b.kind || (a.is_time() && b.kind == DataKind::kInt) ||
                                (b.is_time() && a.kind == DataKind::kInt));
}

// Copies numbers and reverses their bytes.
void CopyReversed(const DataType& type, const std::uint8_t* src, std::uint8_t* dst,
                  std::size_t count) {
    const std::size_t parts = type.kind == DataKind::kComplex ? 2 : 1;
    const std::size_t unit = type.size / parts;
    const auto stride = static_cast<std::ptrdiff_t>(unit);
    CopySwapped(dst, stride, src, stride, unit, count * parts);
}

}  // namespace

Result<NumberConversion> NumberConversion::Make(const DataType& from, const DataType& to) {
    if (!AreConvertible(from, to))
        return Status::Unsupported("no conversion from dtype " + from.ToString() + " to " +
                                   to.ToString());
    NumberConversion conversion;
    conversion.from_ = from;
    conversion.to_ = to;
    if (AreSameInMemory(from, to)) return conversion;
    conversion.rows_ = VisitNumber(from, [&to](auto from_tag) {
        using From = typename decltype(from_tag)::type;
        return VisitNumber(to, [](auto to_tag) -> Rows {
            return ConvertRows<From, typename decltype(to_tag)::type>;
        });
    });
    return conversion;
}

void NumberConversion::Run(const std::uint8_t* src, std::uint8_t* dst, std::size_t count) const {
    if (count == 0) return;
    const bool swap_src = from_.NeedsSwap();
    const bool swap_dst = to_.NeedsSwap();
    if (rows_ == nullptr) {
        if (swap_src != swap_dst)
            CopyReversed(from_, src, dst, count);
        else
            std::memcpy(dst, src, count * from_.size);
        return;
    }
    if (!swap_src && !swap_dst) return rows_(src, dst, count);
    NumberBlock native_src;
    NumberBlock native_dst;
    while (count > 0) {
        const std::size_t n = count < kNumberBlock ? count : kNumberBlock;
        if (swap_src) CopyReversed(from_, src, native_src.bytes, n);
        rows_(swap_src ? native_src.bytes : src, swap_dst ? native_dst.bytes : dst, n);
        if (swap_dst) CopyReversed(to_, native_dst.bytes, dst, n);
        src += n * from_.size;
        dst += n * to_.size;
        count -= n;
    }
}

}  // namespace zarr
