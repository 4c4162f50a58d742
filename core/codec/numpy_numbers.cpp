// SPDX-License-Identifier: MIT
#include "core/codec/numpy_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/json/value.h"

namespace zarr {

namespace {

bool IsInteger(const DataType& type) {
    return type.kind == DataKind::kInt || type.kind == DataKind::kUint;
}

Result<DataType> ParseNumberType(const json::Value& value, std::string_view key) {
    if (value.as_string() == nullptr) return json::Expected(key, "a dtype such as \"<i2\"", value);
    auto type = ParseTypestr(*value.as_string());
    if (!type.ok()) return Status::Corrupt(type.status().message()).WithContext(key);
    if (!type->is_numeric() && !type->is_time())
        return json::Expected(key, "a dtype of numbers", value);
    return type;
}

DataType PromoteIntegers(const DataType& a, const DataType& b) {
    if (a.kind == b.kind) return MakeNumberType(a.kind, std::max(a.size, b.size));
    const std::size_t signed_size = a.kind == DataKind::kInt ? a.size : b.size;
    const std::size_t unsigned_size = a.kind == DataKind::kInt ? b.size : a.size;
    if (signed_size > unsigned_size) return MakeNumberType(DataKind::kInt, signed_size);
    if (unsigned_size < 8) return MakeNumberType(DataKind::kInt, unsigned_size * 2);
    return MakeNumberType(DataKind::kFloat, 8);
}

// Returns the size in bytes of the float type to which NumPy promotes numbers of `type`. For
// complex numbers, this is the size of the real part.
std::size_t FloatSize(const DataType& type) {
    switch (type.kind) {
        case DataKind::kBool:
            return 2;
        case DataKind::kInt:
        case DataKind::kUint:
            return std::min<std::size_t>(type.size * 2, 8);
        case DataKind::kComplex:
            return type.size / 2;
        default:
            return type.size;
    }
}

std::string NotWholeItems(std::size_t size, std::size_t item) {
    return "size " + std::to_string(size) + " is not a multiple of the item size " +
           std::to_string(item);
}

static_assert(std::numeric_limits<float>::is_iec559 && std::numeric_limits<double>::is_iec559,
              "float casts rely on infinities");

template <class T>
struct IsComplex : std::false_type {};
template <class T>
struct IsComplex<std::complex<T>> : std::true_type {};

// Truncates `value` towards zero. A value out of range becomes the smallest integer, as with x86
// instructions.
template <class Int>
Int Truncate(double value) {
    constexpr Int kMin = std::numeric_limits<Int>::min();
    constexpr double kEnd = -static_cast<double>(kMin);
    // Doubles between -2^31 - 1 and -2^31 truncate to the smallest int32. Below -2^63, no double
    // truncates to the smallest int64.
    constexpr double kBelow = sizeof(Int) == 8 ? -kEnd : -kEnd - 1.0;
    const bool above = sizeof(Int) == 8 ? value >= kBelow : value > kBelow;
    return above && value < kEnd ? static_cast<Int>(value) : kMin;
}

// Converts a float to an integer as compilers for x86-64 do, because C++ does not define the
// conversion of floats out of range. The results are NumPy's results on x86-64. Large unsigned
// integers are truncated without their top bit; small integers are the low bits of an int32.
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

// True if numbers of type `from` can be converted to type `to`. Times can become only integers, or
// times of the same unit.
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

// Copies numbers, and reverses the byte order of each.
void CopyReversed(const DataType& type, const std::uint8_t* src, std::uint8_t* dst,
                  std::size_t count) {
    const std::size_t parts = type.kind == DataKind::kComplex ? 2 : 1;
    const std::size_t unit = type.size / parts;
    const auto stride = static_cast<std::ptrdiff_t>(unit);
    CopySwapped(dst, stride, src, stride, unit, count * parts);
}

template <Operation kOperation, class T>
T Calculate(T a, T b) {
    if constexpr (std::is_integral_v<T>) {
        using Wide = std::uint64_t;  // unsigned, so that overflow wraps around
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
    return a;  // never called, because NumPy converts booleans to numbers first
}

// Calculates with the complex numbers `a` and `b`, where `b` is a real scalar with an imaginary
// part of zero. That zero still affects signs and numbers that are not finite. Division uses
// Smith's method.
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

// Returns the smallest float type whose range includes `number`, whatever the precision of that
// type. The limits of the ranges are rounded, as in NumPy.
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

DataType MakeNumberType(DataKind kind, std::size_t size) {
    DataType type;
    type.kind = kind;
    type.size = size;
    type.order = size == 1 ? ByteOrder::kNotRelevant : ByteOrder::kLittle;
    return type.Native();
}

DataType PromoteNumbers(const DataType& a, const DataType& b) {
    if (a.is_time()) return a.Native();
    if (b.is_time() || a.kind == DataKind::kBool) return b.Native();
    if (b.kind == DataKind::kBool) return a.Native();
    if (IsInteger(a) && IsInteger(b)) return PromoteIntegers(a, b);
    const std::size_t size = std::max(FloatSize(a), FloatSize(b));
    if (a.kind == DataKind::kComplex || b.kind == DataKind::kComplex)
        return MakeNumberType(DataKind::kComplex, size * 2);
    return MakeNumberType(DataKind::kFloat, size);
}

Result<DataType> NumberMember(const json::Value& config, std::string_view key) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(config, key));
    return ParseNumberType(*member, key);
}

Result<DataType> OptionalNumberMember(const json::Value& config, std::string_view key,
                                      const DataType& fallback) {
    const json::Value* member = config.Find(key);
    if (member == nullptr || member->is_null()) return fallback;
    return ParseNumberType(*member, key);
}

Result<ItemRun> PrepareItems(ByteSpan encoded, std::size_t encoded_item, std::size_t decoded_item,
                             Output& decoded) {
    if (encoded.size % encoded_item != 0)
        return Status::Corrupt(NotWholeItems(encoded.size, encoded_item));
    const std::size_t count = encoded.size / encoded_item;
    const auto size = CheckedMul(count, decoded_item);
    if (!size || *size > SIZE_MAX) return decoded.TooLong();
    ZARR_ASSIGN_OR_RETURN(const MutableByteSpan room,
                          decoded.Prepare(static_cast<std::size_t>(*size)));
    return ItemRun{encoded.data, room.data, count};
}

Result<ItemRun> PrepareItems(ByteSpan decoded, std::size_t decoded_item, std::size_t encoded_item,
                             Buffer& encoded) {
    ZARR_RETURN_IF_ERROR(CheckWholeItems({decoded.size, true}, decoded_item));
    const std::size_t count = decoded.size / decoded_item;
    ZARR_RETURN_IF_ERROR(encoded.Reset(SaturatingMul(count, encoded_item)));
    return ItemRun{decoded.data, encoded.data(), count};
}

Status CheckWholeItems(SizeBound decoded, std::size_t decoded_item) {
    if (decoded_item == 0) return Status::Unsupported("elements of 0 bytes are unsupported");
    if (decoded.exact && decoded.max % decoded_item != 0)
        return Status::Invalid(NotWholeItems(decoded.max, decoded_item));
    return {};
}

Status NumberFilter::Decode(ByteSpan encoded, Output& decoded) const {
    ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                          PrepareItems(encoded, encoded_type_.size, decoded_type_.size, decoded));
    DecodeItems(run);
    return {};
}

Status NumberFilter::CheckWritable(SizeBound decoded) const {
    ZARR_RETURN_IF_ERROR(writable_);
    return CheckWholeItems(decoded, decoded_type_.size);
}

Status NumberFilter::Encode(ByteSpan decoded, Buffer& encoded) const {
    ZARR_RETURN_IF_ERROR(writable_);
    ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                          PrepareItems(decoded, decoded_type_.size, encoded_type_.size, encoded));
    EncodeItems(run);
    return {};
}

SizeBound EncodedItems(SizeBound decoded, std::size_t decoded_item, std::size_t encoded_item) {
    if (decoded_item == 0) return {0, decoded.exact};
    return {SaturatingMul(decoded.max / decoded_item, encoded_item), decoded.exact};
}

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
    // For an integer array and a float scalar, NumPy calculates with float64, even if a smaller
    // float could hold the scalar.
    if (!scalar.is_integer) return MakeNumberType(DataKind::kFloat, 8);
    const bool fits_signed = scalar.bits <= static_cast<std::uint64_t>(INT64_MAX);
    const bool is_positive = scalar.smallest.kind == DataKind::kUint;
    if (array.kind == DataKind::kBool)
        return MakeNumberType(is_positive && !fits_signed ? DataKind::kUint : DataKind::kInt, 8);
    // A positive scalar that fits int64 counts as signed if the array is signed.
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
