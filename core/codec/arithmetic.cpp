// SPDX-License-Identifier: MIT
#include "core/codec/arithmetic.h"

#include <cmath>
#include <type_traits>

#include "core/base/endian.h"
#include "core/base/half.h"
#include "core/json/members.h"

namespace zarr {

namespace {

template <Operation kOperation, class T>
T Calculate(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using Wide = std::uint64_t;  // wraps
        if constexpr (kOperation == Operation::kAdd) return static_cast<T>(Wide(a) + Wide(b));
        if constexpr (kOperation == Operation::kSubtract) return static_cast<T>(Wide(a) - Wide(b));
        if constexpr (kOperation == Operation::kMultiply) return static_cast<T>(Wide(a) * Wide(b));
        return a;
    } else {
        if constexpr (kOperation == Operation::kAdd) return a + b;
        if constexpr (kOperation == Operation::kSubtract) return a - b;
        if constexpr (kOperation == Operation::kMultiply) return a * b;
        if constexpr (kOperation == Operation::kDivide) return a / b;
        return std::nearbyint(a);
    }
}

template <Operation kOperation>
Half Calculate(Half a, Half b) {
    return {FloatToHalf(Calculate<kOperation>(HalfToFloat(a.bits), HalfToFloat(b.bits)))};
}

template <Operation kOperation>
BoolByte Calculate(BoolByte a, BoolByte /*b*/) {
    return a;  // NumPy calculates with booleans in other types
}

// With a scalar of no imaginary part, which still counts for signs and what is not finite. Division
// is by Smith's method.
template <Operation kOperation, class T>
std::complex<T> Calculate(std::complex<T> a, std::complex<T> b) {
    if constexpr (kOperation == Operation::kAdd || kOperation == Operation::kSubtract ||
                  kOperation == Operation::kRound) {
        return {Calculate<kOperation>(a.real(), b.real()),
                Calculate<kOperation>(a.imag(), b.imag())};
    } else if constexpr (kOperation == Operation::kMultiply) {
        return {a.real() * b.real() - a.imag() * b.imag(),
                a.real() * b.imag() + a.imag() * b.real()};
    } else {
        const T re = b.real();
        if (re == 0) return {a.real() / std::fabs(re), a.imag() / std::fabs(re)};
        const T ratio = T{0} / re;
        const T factor = T{1} / (re + T{0} * ratio);
        return {(a.real() + a.imag() * ratio) * factor, (a.imag() - a.real() * ratio) * factor};
    }
}

template <class T>
T Operand(const Scalar& scalar) {
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(scalar.bits);
    } else if constexpr (std::is_same_v<T, Half>) {
        return {DoubleToHalf(scalar.number)};
    } else if constexpr (std::is_same_v<T, BoolByte>) {
        return {};
    } else if constexpr (std::is_floating_point_v<T>) {
        return static_cast<T>(scalar.number);
    } else {
        return {static_cast<typename T::value_type>(scalar.number), 0};
    }
}

template <Operation kOperation, class T>
void CalculateAll(std::uint8_t* numbers, std::size_t count, const Scalar& scalar) {
    const T operand = Operand<T>(scalar);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint8_t* p = numbers + i * sizeof(T);
        StoreNative(p, Calculate<kOperation>(LoadNative<T>(p), operand));
    }
}

template <Operation kOperation>
Calculation CalculationOn(const DataType& type) {
    return VisitNumber(type, [](auto tag) -> Calculation {
        return CalculateAll<kOperation, typename decltype(tag)::type>;
    });
}

// For a float that is a question of range only; NumPy's limits are rounded.
DataType SmallestFloat(double number) {
    const double magnitude = std::isfinite(number) ? std::fabs(number) : 0;
    return MakeNumberType(DataKind::kFloat, magnitude < 65000 ? 2 : magnitude < 3.4e38 ? 4 : 8);
}

DataType SmallestUnsigned(std::uint64_t number) {
    return MakeNumberType(DataKind::kUint, number <= UINT8_MAX    ? 1
                                           : number <= UINT16_MAX ? 2
                                           : number <= UINT32_MAX ? 4
                                                                  : 8);
}

DataType SmallestSigned(std::int64_t number) {
    const auto fits = [number](std::int64_t min, std::int64_t max) {
        return number >= min && number <= max;
    };
    return MakeNumberType(DataKind::kInt, fits(INT8_MIN, INT8_MAX)     ? 1
                                          : fits(INT16_MIN, INT16_MAX) ? 2
                                          : fits(INT32_MIN, INT32_MAX) ? 4
                                                                       : 8);
}

}  // namespace

Result<Scalar> Scalar::Member(const json::Value& config, std::string_view key) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, key));
    double number = 0;
    if (!member->GetDouble(number)) return json::Expected(key, "a number", *member);
    if (!member->is_integer()) return Float(number);
    Scalar scalar;
    scalar.number = number;
    scalar.is_integer = true;
    std::int64_t negative = 0;
    if (member->GetUint64(scalar.bits)) {
        scalar.smallest = SmallestUnsigned(scalar.bits);
    } else if (member->GetInt64(negative)) {
        scalar.bits = static_cast<std::uint64_t>(negative);
        scalar.smallest = SmallestSigned(negative);
    }
    return scalar;
}

Scalar Scalar::Float(double number) {
    Scalar scalar;
    scalar.number = number;
    scalar.smallest = SmallestFloat(number);
    return scalar;
}

DataType ResultType(const DataType& array, const Scalar& scalar) {
    if (array.kind == DataKind::kFloat || array.kind == DataKind::kComplex)
        return PromoteNumbers(array, scalar.smallest);
    // The scalar's full type counts where it is of a higher kind than the array.
    if (!scalar.is_integer) return MakeNumberType(DataKind::kFloat, 8);
    const bool fits_signed = scalar.bits <= static_cast<std::uint64_t>(INT64_MAX);
    const bool is_positive = scalar.smallest.kind == DataKind::kUint;
    if (array.kind == DataKind::kBool)
        return MakeNumberType(is_positive && !fits_signed ? DataKind::kUint : DataKind::kInt, 8);
    // To signed integers a positive number is signed as well where it fits.
    if (array.kind == DataKind::kInt && is_positive && fits_signed)
        return PromoteNumbers(array, SmallestSigned(static_cast<std::int64_t>(scalar.bits)));
    return PromoteNumbers(array, scalar.smallest);
}

Calculation MakeCalculation(Operation operation, const DataType& type) {
    switch (operation) {
        case Operation::kAdd:
            return CalculationOn<Operation::kAdd>(type);
        case Operation::kSubtract:
            return CalculationOn<Operation::kSubtract>(type);
        case Operation::kMultiply:
            return CalculationOn<Operation::kMultiply>(type);
        case Operation::kDivide:
            return CalculationOn<Operation::kDivide>(type);
        default:
            return CalculationOn<Operation::kRound>(type);
    }
}

}  // namespace zarr
