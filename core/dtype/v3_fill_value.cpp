// SPDX-License-Identifier: MIT
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/element_bytes.h"
#include "core/dtype/element_text.h"
#include "core/dtype/narrow_types.h"
#include "core/dtype/v3_types.h"

namespace zarr {

namespace {

constexpr std::string_view kNotATimeText = "NaT";
constexpr std::string_view kHexPrefix = "0x";
// Prefix of binary digits in drafts of the specification.
constexpr std::string_view kBinaryPrefix = "0b";

// Returns the error that `value` is no value of `type`. Callers add the context, such as
// "fill_value".
Status NoValueOf(const DataType& type, const json::Value& value) {
    return json::Expected("", "a value of data type " + V3DataTypeText(type), value);
}

// Returns the float type of one part of a complex type. Returns a float type unchanged.
DataType PartOf(const DataType& type) {
    DataType part = type;
    if (type.kind == DataKind::kComplex) {
        part.kind = DataKind::kFloat;
        part.size /= 2;
    }
    return part;
}

std::string BytesOfFloat(const DataType& type, double number) {
    return type.narrow != NarrowType::kNone ? NarrowBytes(type.narrow, number)
                                            : FloatBytes(type.size, number);
}

// True if `number` is in the range of the float type `type`. An ordinary float type accepts every
// double: numbers that are too large become infinity.
bool HoldsFloat(const DataType& type, double number) {
    return type.narrow == NarrowType::kNone || IsRepresentable(type.narrow, number);
}

// Parses a float that is given by its bits: "0x7fc0" with all digits, or binary digits. Binary
// digits come from drafts of the specification and may lack leading zeros. Bits that the type does
// not use must be zero. Returns nullopt if `text` has another form.
std::optional<std::string> FloatOfBits(const DataType& type, std::string_view text) {
    const bool is_hex = text.substr(0, kHexPrefix.size()) == kHexPrefix;
    if (!is_hex && text.substr(0, kBinaryPrefix.size()) != kBinaryPrefix) return std::nullopt;
    text.remove_prefix(kHexPrefix.size());
    std::uint64_t bits = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), bits, is_hex ? 16 : 2);
    const bool fits = is_hex ? text.size() == 2 * type.size : text.size() <= 8 * type.size;
    if (!fits || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    const unsigned used = type.narrow != NarrowType::kNone ? FormatOf(type.narrow).bits : 64;
    if (used < 64 && bits >> used != 0) return std::nullopt;
    return IntegerBytes(type.size, bits);
}

// Parses a float: a number, "NaN", "Infinity", "-Infinity", or text with the float's bits.
Result<std::string> FloatOf(const DataType& type, const json::Value& value) {
    double number = 0;
    if (const std::string* const text = value.as_string()) {
        if (const auto bits = FloatOfBits(type, *text)) return *bits;
        if (*text == "NaN")
            number = std::numeric_limits<double>::quiet_NaN();
        else if (*text == "Infinity" || *text == "-Infinity")
            number = (*text)[0] == '-' ? -std::numeric_limits<double>::infinity()
                                       : std::numeric_limits<double>::infinity();
        else
            return NoValueOf(type, value);
    } else if (!value.GetDouble(number) || !std::isfinite(number)) {
        return NoValueOf(type, value);  // JSON has no NaN; Python writes it without quotes
    }
    // Accept 0 for float8_e8m0fnu, which has no zero: TensorStore writes the smallest number,
    // 2^-127, as 0.
    if (type.narrow == NarrowType::kFloat8E8m0fnu && number == 0) return std::string(1, '\0');
    if (!HoldsFloat(type, number)) return NoValueOf(type, value);
    return BytesOfFloat(type, number);
}

Result<std::string> ComplexOf(const DataType& type, const json::Value& value) {
    const json::Array* const parts = value.as_array();
    if (parts == nullptr || parts->size() != 2) return NoValueOf(type, value);
    const DataType part = PartOf(type);
    ZARR_ASSIGN_OR_RETURN(const std::string real, FloatOf(part, (*parts)[0]));
    ZARR_ASSIGN_OR_RETURN(const std::string imaginary, FloatOf(part, (*parts)[1]));
    return real + imaginary;
}

// Parses `value` by the rules of Zarr v2. The caller has checked that Zarr v3 allows such a value.
Result<std::string> AsInV2(const DataType& type, const json::Value& value) {
    const auto element = ParseFillValue(type, value);
    if (!element.ok()) return NoValueOf(type, value);
    return element->TrimmedBytes();
}

// True if `value` is text with an integer beyond int64, as GDAL's built-in driver writes for
// uint64.
bool IsLargeInText(const json::Value& value) {
    const std::string* const text = value.as_string();
    if (text == nullptr) return false;
    std::uint64_t number = 0;
    const char* const end = text->data() + text->size();
    const auto read = std::from_chars(text->data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number >> 63 != 0;
}

Result<std::string> IntegerOf(const DataType& type, const json::Value& value) {
    return value.is_integer() || IsLargeInText(value) ? AsInV2(type, value)
                                                      : NoValueOf(type, value);
}

// Parses a boolean. Also accepts 0 and 1, because the Python library zarrita (the model of
// zarr-python 3) wrote booleans as numbers.
Result<std::string> BoolOf(const DataType& type, const json::Value& value) {
    std::uint64_t number = 0;
    const bool is_digit = value.is_integer() && value.GetUint64(number) && number <= 1;
    return value.as_bool() != nullptr || is_digit ? AsInV2(type, value) : NoValueOf(type, value);
}

Result<std::string> TimeOf(const DataType& type, const json::Value& value) {
    const std::string* const text = value.as_string();
    if (text != nullptr ? *text != kNotATimeText : !value.is_integer())
        return NoValueOf(type, value);
    return AsInV2(type, value);
}

Result<std::string> Utf32Of(const DataType& type, const json::Value& value) {
    const std::string* const text = value.as_string();
    if (text == nullptr || !CheckTextFits(type, *text).ok()) return NoValueOf(type, value);
    return AsInV2(type, value);
}

// Parses the bytes of an element from an array of numbers, or from base64.
Result<std::string> BytesIn(const DataType& type, const json::Value& value) {
    std::string bytes;
    if (const std::string* const text = value.as_string()) return Base64Decode(*text);
    const json::Array* const items = value.as_array();
    if (items == nullptr) return NoValueOf(type, value);
    bytes.reserve(items->size());
    for (const json::Value& item : *items) {
        std::uint64_t byte = 0;
        if (!item.is_integer() || !item.GetUint64(byte) || byte > 255)
            return json::Expected("", "bytes from 0 to 255", item);
        bytes += static_cast<char>(static_cast<unsigned char>(byte));
    }
    return bytes;
}

Result<std::string> FixedBytesOf(const DataType& type, const json::Value& value) {
    ZARR_ASSIGN_OR_RETURN(std::string bytes, BytesIn(type, value));
    // Accept too few bytes for null_terminated_bytes, because zarr-python omits the padding.
    const bool is_padded = type.kind == DataKind::kBytes;
    if (bytes.size() > type.size || (bytes.size() < type.size && !is_padded))
        return Status::Corrupt("holds " + std::to_string(bytes.size()) +
                               " bytes, but an element of data type " + V3DataTypeText(type) +
                               " has " + std::to_string(type.size));
    if (type.kind == DataKind::kStruct)
        SwapElements(type, reinterpret_cast<std::uint8_t*>(bytes.data()), 1);
    return bytes;
}

// Rejects subarrays, for which Zarr v3 has no fill values.
Status RejectSubarray(const Field& field) {
    return field.shape.empty() ? Status()
                               : Status::Unsupported("field " + Quoted(field.name) +
                                                     ": Zarr v3 has no subarrays in structures");
}

Result<std::string> ElementOf(const DataType& type, const json::Value& value);

Result<std::string> StructOf(const DataType& type, const json::Value& value) {
    const json::Object* const members = value.as_object();
    if (members == nullptr)
        return value.as_string() != nullptr ? FixedBytesOf(type, value) : NoValueOf(type, value);
    // Compare the counts first. Member names and field names are unique: if the counts are equal
    // and all fields are found, no unknown member is left.
    if (members->size() != type.fields.size())
        return Status::Corrupt("has " + std::to_string(members->size()) +
                               " members, but data type " + V3DataTypeText(type) + " has " +
                               std::to_string(type.fields.size()) + " fields");
    std::map<std::string_view, const json::Value*> by_name;
    for (const json::Member& member : *members) by_name.emplace(member.first, &member.second);
    std::string bytes;
    for (const Field& field : type.fields) {
        const std::string where = "field " + Quoted(field.name);
        ZARR_RETURN_IF_ERROR(RejectSubarray(field));
        const auto member = by_name.find(field.name);
        if (member == by_name.end()) return Status::Corrupt(where + " is missing");
        ZARR_ASSIGN_OR_RETURN(const std::string own,
                              ElementOf(field.type, *member->second).WithContext(where));
        // Skip a field of zeros, so that a large field takes no memory. The next field fills the
        // gap with zeros; zeros at the end of the result may be missing.
        if (own.find_first_not_of('\0') == std::string::npos) continue;
        bytes.resize(field.offset, '\0');
        bytes += own;
    }
    return bytes;
}

Result<std::string> ObjectOf(const DataType& type, const json::Value& value) {
    if (type.object_kind == ObjectKind::kBytes) return BytesIn(type, value);
    if (value.as_string() == nullptr) return NoValueOf(type, value);
    return *value.as_string();
}

// Returns the bytes of the element that `value` describes. Trailing zeros may be missing.
Result<std::string> ElementOf(const DataType& type, const json::Value& value) {
    switch (type.kind) {
        case DataKind::kBool:
            return BoolOf(type, value);
        case DataKind::kInt:
        case DataKind::kUint:
            return IntegerOf(type, value);
        case DataKind::kFloat:
            return FloatOf(type, value);
        case DataKind::kComplex:
            return ComplexOf(type, value);
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return TimeOf(type, value);
        case DataKind::kUnicode:
            return Utf32Of(type, value);
        case DataKind::kBytes:
        case DataKind::kVoid:
            return FixedBytesOf(type, value);
        case DataKind::kStruct:
            return StructOf(type, value);
        case DataKind::kObject:
            return ObjectOf(type, value);
    }
    return NoValueOf(type, value);
}

// ---------------------------------------------------------------------------------------------
// JSON

// Returns all bits of a float element as text: "0x" and hexadecimal digits.
std::string HexOf(std::string_view element) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::string text(kHexPrefix);
    for (std::size_t i = 0; i < element.size(); ++i) {
        const std::size_t at = HostIsLittleEndian() ? element.size() - 1 - i : i;
        const auto byte = static_cast<unsigned char>(element[at]);
        text += kDigits[byte >> 4];
        text += kDigits[byte & 15U];
    }
    return text;
}

json::Value FloatToJson(const DataType& type, std::string_view element) {
    const double number =
        ElementDouble(type, reinterpret_cast<const std::uint8_t*>(element.data()));
    if (std::isinf(number)) return json::Value(number > 0 ? "Infinity" : "-Infinity");
    if (!std::isnan(number)) return json::Value(number);
    const bool is_usual = element == BytesOfFloat(type, std::numeric_limits<double>::quiet_NaN());
    return json::Value(is_usual ? "NaN" : HexOf(element));
}

json::Value ByteNumbers(std::string_view bytes) {
    json::Array numbers;
    numbers.reserve(bytes.size());
    for (const char byte : bytes)
        numbers.emplace_back(std::uint64_t{static_cast<unsigned char>(byte)});
    return json::Value(std::move(numbers));
}

Result<json::Value> ValueOf(const DataType& type, std::string_view element) {
    if (type.kind != DataKind::kObject && element.size() != type.size)
        return Status::Invalid("has " + std::to_string(element.size()) +
                               " bytes, but an element of data type " + V3DataTypeText(type) +
                               " has " + std::to_string(type.size));
    switch (type.kind) {
        case DataKind::kFloat:
            return FloatToJson(type, element);
        case DataKind::kComplex: {
            const DataType part = PartOf(type);
            return json::Value(json::Array{FloatToJson(part, element.substr(0, part.size)),
                                           FloatToJson(part, element.substr(part.size))});
        }
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            if (LoadNative<std::int64_t>(element.data()) == kNotATime)
                return json::Value(kNotATimeText);
            return FillValueToJson(type, element);
        case DataKind::kVoid:
            return ByteNumbers(element);
        case DataKind::kStruct:
            // Write a structure as base64, because zarr-python 3.1 reads no other form.
            for (const Field& field : type.fields) ZARR_RETURN_IF_ERROR(RejectSubarray(field));
            return FillValueToJson(type, element);
        case DataKind::kObject:
            if (type.object_kind == ObjectKind::kBytes)
                return json::Value(Base64Encode(ByteSpan(element)));
            return FillValueToJson(type, element);
        default:  // other types are written as in Zarr v2
            return FillValueToJson(type, element);
    }
}

}  // namespace

Result<FillValue> ParseV3FillValue(const DataType& type, const json::Value& value) {
    if (type.missing) {
        if (value.is_null()) return FillValue(*type.missing, type.size);
        const json::Array* const items = value.as_array();
        if (items == nullptr || items->size() != 1)
            return json::Expected("fill_value", "null or [value]", value);
        DataType present = type;
        present.missing.reset();
        return ParseV3FillValue(present, (*items)[0]);
    }
    ZARR_ASSIGN_OR_RETURN(std::string bytes, ElementOf(type, value).WithContext("fill_value"));
    if (type.kind == DataKind::kObject) return FillValue::OfObject(std::move(bytes));
    return FillValue(std::move(bytes), type.size);
}

Result<json::Value> V3FillValueToJson(const DataType& type, std::string_view element) {
    if (type.missing && element == *type.missing) return json::Value();
    auto value = ValueOf(type, element);
    if (type.missing && value.ok()) return json::Value(json::Array{value.Take()});
    if (value.ok() || value.status().message().rfind("fill_value: ", 0) == 0) return value;
    return value.status().WithContext("fill_value");
}

}  // namespace zarr
