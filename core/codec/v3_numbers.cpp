// SPDX-License-Identifier: MIT
#include "core/codec/v3_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/base/text.h"

namespace zarr {

namespace {

struct NamedNumber {
    std::string_view name;
    DataKind kind;
    std::size_t size;  // size in bytes
    NarrowType narrow = NarrowType::kNone;
};

// Zarr v3 names of number types, from
// https://zarr-specs.readthedocs.io/en/latest/v3/data-types/index.html and from zarr-extensions.
constexpr NamedNumber kNumberNames[] = {
    {"bool", DataKind::kBool, 1},
    {"int8", DataKind::kInt, 1},
    {"int16", DataKind::kInt, 2},
    {"int32", DataKind::kInt, 4},
    {"int64", DataKind::kInt, 8},
    {"uint8", DataKind::kUint, 1},
    {"uint16", DataKind::kUint, 2},
    {"uint32", DataKind::kUint, 4},
    {"uint64", DataKind::kUint, 8},
    {"float16", DataKind::kFloat, 2},
    {"float32", DataKind::kFloat, 4},
    {"float64", DataKind::kFloat, 8},
    {"int2", DataKind::kInt, 1, NarrowType::kInt2},
    {"int4", DataKind::kInt, 1, NarrowType::kInt4},
    {"uint2", DataKind::kUint, 1, NarrowType::kUint2},
    {"uint4", DataKind::kUint, 1, NarrowType::kUint4},
    {"bfloat16", DataKind::kFloat, 2, NarrowType::kBfloat16},
    {"float4_e2m1fn", DataKind::kFloat, 1, NarrowType::kFloat4E2m1fn},
    {"float6_e2m3fn", DataKind::kFloat, 1, NarrowType::kFloat6E2m3fn},
    {"float6_e3m2fn", DataKind::kFloat, 1, NarrowType::kFloat6E3m2fn},
    {"float8_e3m4", DataKind::kFloat, 1, NarrowType::kFloat8E3m4},
    {"float8_e4m3", DataKind::kFloat, 1, NarrowType::kFloat8E4m3},
    {"float8_e4m3fn", DataKind::kFloat, 1, NarrowType::kFloat8E4m3fn},
    {"float8_e4m3b11fnuz", DataKind::kFloat, 1, NarrowType::kFloat8E4m3b11fnuz},
    {"float8_e4m3fnuz", DataKind::kFloat, 1, NarrowType::kFloat8E4m3fnuz},
    {"float8_e5m2", DataKind::kFloat, 1, NarrowType::kFloat8E5m2},
    {"float8_e5m2fnuz", DataKind::kFloat, 1, NarrowType::kFloat8E5m2fnuz},
    {"float8_e8m0fnu", DataKind::kFloat, 1, NarrowType::kFloat8E8m0fnu},
};

template <class T>
std::string NativeBytes(T number) {
    return {reinterpret_cast<const char*>(&number), sizeof number};
}

template <class T>
std::string FloatBytes(double number) {
    if constexpr (std::is_same_v<T, Half>)
        return NativeBytes(DoubleToHalf(number));
    else
        return NativeBytes(static_cast<T>(number));
}

// Parses `text`, a number of `size` bytes written as "0x" and hexadecimal digits, highest digit
// first. Returns its bytes in the host's byte order; nullopt if `text` has another form.
std::optional<std::string> HexadecimalBytes(std::string_view text, std::size_t size) {
    if (text.size() != 2 + 2 * size || text.substr(0, 2) != "0x") return std::nullopt;
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < 2 * size; ++i) {
        const std::size_t digit =
            std::string_view("0123456789abcdef0123456789ABCDEF").find(text[2 + i]);
        if (digit == std::string_view::npos) return std::nullopt;
        bytes[i / 2] =
            static_cast<char>(static_cast<unsigned char>(bytes[i / 2]) * 16 + digit % 16);
    }
    if (HostIsLittleEndian()) std::reverse(bytes.begin(), bytes.end());
    return bytes;
}

template <class T>
Result<std::string> ParseFloat(const json::Value& value, std::string_view place) {
    double number = 0;
    if (value.GetDouble(number)) return FloatBytes<T>(number);
    const std::string* text = value.as_string();
    if (text != nullptr) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        if (*text == "NaN") return FloatBytes<T>(std::numeric_limits<double>::quiet_NaN());
        if (*text == "Infinity" || *text == "+Infinity") return FloatBytes<T>(kInfinity);
        if (*text == "-Infinity") return FloatBytes<T>(-kInfinity);
        if (auto bytes = HexadecimalBytes(*text, sizeof(T))) return std::move(*bytes);
    }
    return json::Expected(place, R"(a number, "NaN", "Infinity", "-Infinity" or "0x" and digits)",
                          value);
}

template <class T>
Result<std::string> ParseInteger(const DataType& type, const json::Value& value,
                                 std::string_view place) {
    const IntegerRange range = IntegerRange::Of(type);
    std::int64_t number = 0;
    std::uint64_t large = 0;
    if (value.GetInt64(number) && range.Has(number)) return NativeBytes(static_cast<T>(number));
    if (value.GetUint64(large) && range.Has(large)) return NativeBytes(static_cast<T>(large));
    return json::Expected(place, "a number of type " + NumberTypeName(type), value);
}

}  // namespace

unsigned BitsOf(const DataType& type) {
    switch (type.narrow) {
        case NarrowType::kInt2:
        case NarrowType::kUint2:
            return 2;
        case NarrowType::kInt4:
        case NarrowType::kUint4:
        case NarrowType::kFloat4E2m1fn:
            return 4;
        case NarrowType::kFloat6E2m3fn:
        case NarrowType::kFloat6E3m2fn:
            return 6;
        case NarrowType::kBfloat16:
            return 16;
        case NarrowType::kNone:
            break;
        default:
            return 8;
    }
    if (type.kind == DataKind::kBool) return 1;
    return static_cast<unsigned>(type.kind == DataKind::kComplex ? type.size / 2 : type.size) * 8;
}

std::string NumberTypeName(const DataType& type) {
    const bool is_complex = type.kind == DataKind::kComplex;
    if (is_complex && type.narrow == NarrowType::kNone)
        return "complex" + std::to_string(type.size * 8);
    const DataKind kind = is_complex ? DataKind::kFloat : type.kind;
    const std::size_t size = is_complex ? type.size / 2 : type.size;
    for (const NamedNumber& number : kNumberNames)
        if (number.kind == kind && number.size == size && number.narrow == type.narrow)
            return (is_complex ? "complex_" : "") + std::string(number.name);
    return type.ToString();
}

Status CheckRealType(const DataType& type) {
    const bool is_integer = type.kind == DataKind::kInt || type.kind == DataKind::kUint;
    const bool is_float = type.kind == DataKind::kFloat && type.narrow == NarrowType::kNone;
    if (is_integer || is_float) return {};
    return Status::Unsupported("cannot calculate with data type " + NumberTypeName(type));
}

Result<DataType> ParseRealType(const json::Value& value, std::string_view place) {
    const json::Value* const name = value.as_object() != nullptr ? value.Find("name") : &value;
    const json::Value* const configuration = value.Find("configuration");
    const bool is_plain = configuration == nullptr || (configuration->as_object() != nullptr &&
                                                       configuration->as_object()->empty());
    if (name != nullptr && name->as_string() != nullptr && is_plain) {
        for (const NamedNumber& number : kNumberNames) {
            if (number.name != *name->as_string() || number.kind == DataKind::kBool) continue;
            DataType type = MakeNumberType(number.kind, number.size);
            type.narrow = number.narrow;
            ZARR_RETURN_IF_ERROR(CheckRealType(type).WithContext(place));
            return type;
        }
    }
    return json::Expected(place, "a data type of real numbers", value);
}

Result<std::string> ParseRealScalar(const DataType& type, const json::Value& value,
                                    std::string_view place) {
    ZARR_RETURN_IF_ERROR(CheckRealType(type));
    return VisitReal(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        if constexpr (std::is_integral_v<T>)
            return ParseInteger<T>(type, value, place);
        else
            return ParseFloat<T>(value, place);
    });
}

std::string RealNumberText(const DataType& type, const std::uint8_t* element) {
    return VisitReal(type, [&](auto tag) {
        using T = typename decltype(tag)::type;
        const T number = LoadNative<T>(element);
        if constexpr (std::is_integral_v<T>)
            return std::to_string(
                TruncateToBits<T>(static_cast<std::uint64_t>(number), BitsOf(type)));
        else if constexpr (std::is_same_v<T, Half>)
            return json::PythonFloat(static_cast<double>(HalfToFloat(number.bits)));
        else
            return json::PythonFloat(static_cast<double>(number));
    });
}

IntegerRange IntegerRange::Of(const DataType& type) {
    const unsigned bits = BitsOf(type);
    const std::uint64_t largest =
        ~std::uint64_t{0} >> (64 - (type.kind == DataKind::kInt ? bits - 1 : bits));
    if (type.kind != DataKind::kInt) return {0, largest};
    return {-static_cast<std::int64_t>(largest) - 1, largest};
}

RealFilter::RealFilter(DataType decoded_type, DataType encoded_type)
    : decoded_type_(std::move(decoded_type)), encoded_type_(std::move(encoded_type)) {}

Status RealFilter::Run(ItemRun run, const DataType& from, const DataType& to, Work work) const {
    if (!from.NeedsSwap() && !to.NeedsSwap()) return (this->*work)(run);
    NumberBlock src_block;
    NumberBlock dst_block;
    Status status;
    ForEachBlock(run, from.size, to.size,
                 [&](const std::uint8_t* src, std::uint8_t* dst, std::size_t n) {
                     if (!status.ok()) return;
                     std::memcpy(src_block.bytes, src, n * from.size);
                     SwapElements(from, src_block.bytes, n);
                     status = (this->*work)({src_block.bytes, dst_block.bytes, n});
                     if (!status.ok()) return;
                     SwapElements(to, dst_block.bytes, n);
                     std::memcpy(dst, dst_block.bytes, n * to.size);
                 });
    return status;
}

Status RealFilter::Decode(ByteSpan encoded, Output& decoded) const {
    ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                          PrepareItems(encoded, encoded_type_.size, decoded_type_.size, decoded));
    return Run(run, encoded_type_, decoded_type_, &RealFilter::DecodeItems);
}

Status RealFilter::Encode(ByteSpan decoded, Buffer& encoded) const {
    ZARR_ASSIGN_OR_RETURN(const ItemRun run,
                          PrepareItems(decoded, decoded_type_.size, encoded_type_.size, encoded));
    return Run(run, decoded_type_, encoded_type_, &RealFilter::EncodeItems);
}

}  // namespace zarr
