// SPDX-License-Identifier: MIT
#include "core/dtype/fill_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/element_bytes.h"
#include "core/dtype/element_text.h"
#include "core/dtype/narrow_types.h"
#include "core/json/value.h"

namespace zarr {

namespace {

Status Bad(const DataType& type, const json::Value& value) {
    return json::Expected("fill_value", "a value of dtype " + type.ToString(), value);
}

// Converts JSON booleans to 0 and 1, because zarr-python also writes booleans for numbers. Returns
// other values unchanged.
json::Value WithoutBool(const json::Value& value) {
    if (const bool* b = value.as_bool()) return json::Value(std::int64_t{*b ? 1 : 0});
    return value;
}

// Parses the whole `text` as a number of type T. Returns nullopt if `text` is not such a number.
template <class T>
std::optional<json::Value> NumberIn(std::string_view text) {
    T number = 0;
    const char* const end = text.data() + text.size();
    const auto [rest, error] = std::from_chars(text.data(), end, number);
    if (error != std::errc() || rest != end) return std::nullopt;
    return json::Value(number);
}

// Returns `value`, a number, a boolean or text that NumPy reads as a number, as a JSON number.
// Integers beyond 64 bits become doubles. Any other value is returned unchanged.
json::Value NumberOf(const json::Value& value) {
    const std::string* const given = value.as_string();
    if (given == nullptr) return WithoutBool(value);
    constexpr std::string_view kBlanks = " \t\r\n";
    std::string_view text = *given;
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    text = text.substr(0, text.find_last_not_of(kBlanks) + 1);
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    // A NaN with a payload, such as "nan(1)", is not accepted.
    if (text.find('(') != std::string_view::npos) return value;
    if (const auto number = NumberIn<std::int64_t>(text)) return *number;
    if (const auto number = NumberIn<std::uint64_t>(text)) return *number;
    return NumberIn<double>(text).value_or(value);
}

Result<std::string> ParseInteger(const DataType& type, const json::Value& value) {
    const json::Value number = NumberOf(value);
    // Reject text with a fraction for an integer, as NumPy does. Also reject text with a number
    // beyond 64 bits, which would be rounded.
    if (value.as_string() != nullptr && !number.is_integer()) return Bad(type, value);
    double narrow = 0;
    if (type.narrow != NarrowType::kNone)
        return number.GetDouble(narrow) && IsRepresentable(type.narrow, narrow)
                   ? Result<std::string>(NarrowBytes(type.narrow, narrow))
                   : Bad(type, value);
    const int bits = static_cast<int>(type.size) * 8;
    if (type.kind == DataKind::kUint) {
        std::uint64_t v = 0;
        if (!number.GetUint64(v) || (bits < 64 && v >> bits != 0)) return Bad(type, value);
        return IntegerBytes(type.size, v);
    }
    std::int64_t v = 0;
    if (!number.GetInt64(v)) return Bad(type, value);
    if (bits < 64 && (v < -(std::int64_t{1} << (bits - 1)) || v >= std::int64_t{1} << (bits - 1)))
        return Bad(type, value);
    return IntegerBytes(type.size, static_cast<std::uint64_t>(v));
}

bool GetFloat(const json::Value& value, double& number) {
    return NumberOf(value).GetDouble(number);
}

// Returns the bytes of a real float, or of one part of a complex number.
std::string PartBytes(const DataType& type, double number) {
    if (type.narrow != NarrowType::kNone) return NarrowBytes(type.narrow, number);
    return FloatBytes(type.kind == DataKind::kComplex ? type.size / 2 : type.size, number);
}

Result<std::string> ParseFloat(const DataType& type, const json::Value& value) {
    double number = 0;
    if (!GetFloat(value, number)) return Bad(type, value);
    return PartBytes(type, number);
}

Result<std::string> ParseComplex(const DataType& type, const json::Value& value) {
    double re = 0;
    double im = 0;
    if (const json::Array* parts = value.as_array()) {
        if (parts->size() != 2 || !GetFloat((*parts)[0], re) || !GetFloat((*parts)[1], im))
            return Bad(type, value);
    } else if (!GetFloat(value, re)) {
        return Bad(type, value);
    }
    return PartBytes(type, re) + PartBytes(type, im);
}

std::string TickBytes(std::int64_t ticks) {
    return IntegerBytes(sizeof ticks, static_cast<std::uint64_t>(ticks));
}

Result<std::string> ParseTime(const DataType& type, const json::Value& value) {
    if (const std::string* text = value.as_string()) {
        if (*text == "NaT" || *text == "NaN") return TickBytes(kNotATime);
        return Bad(type, value);
    }
    std::int64_t ticks = 0;
    if (!value.GetInt64(ticks)) return Bad(type, value);
    return TickBytes(ticks);
}

Result<std::string> ParseUnicode(const DataType& type, const std::string& text) {
    ZARR_ASSIGN_OR_RETURN(const std::u32string units, Utf8ToUcs4(text));
    const std::size_t count = std::min(units.size(), type.size / 4);
    std::string bytes(count * 4, '\0');
    for (std::size_t i = 0; i < count; ++i)
        StoreNative(bytes.data() + i * 4, static_cast<std::uint32_t>(units[i]));
    return bytes;
}

// Decodes the base64 of a stored element of NumPy type S, V or a structured type. For S, bytes may
// be missing at the end, because NumPy drops the padding.
Result<std::string> ParseBase64(const DataType& type, const std::string& text) {
    auto decoded = Base64Decode(text);
    if (!decoded.ok()) return decoded.status().WithContext("fill_value");
    std::string bytes = decoded.Take();
    if (bytes.size() > type.size ||
        (bytes.size() < type.size && type.kind != DataKind::kBytes && !bytes.empty()))
        return Status::Corrupt("fill_value: holds " + std::to_string(bytes.size()) +
                               " bytes, but an element of dtype " + type.ToString() + " has " +
                               std::to_string(type.size));
    // Swap bytes only in a complete element, because only a complete element contains numbers.
    if (bytes.size() == type.size)
        SwapElements(type, reinterpret_cast<std::uint8_t*>(bytes.data()), 1);
    return bytes;
}

Result<std::string> ParseText(const DataType& type, const json::Value& value) {
    double number = 0;
    if (WithoutBool(value).GetDouble(number) && number == 0) return std::string();
    const std::string* text = value.as_string();
    if (text == nullptr) return Bad(type, value);
    return type.kind == DataKind::kUnicode ? ParseUnicode(type, *text) : ParseBase64(type, *text);
}

std::string ParseObject(const json::Value& value) {
    if (const std::string* text = value.as_string()) return *text;
    double number = 0;
    if (value.GetDouble(number) && number == 0) return {};
    return json::Dump(value);
}

// Returns the bytes of the element that `value` describes. Trailing zeros may be missing.
Result<std::string> ParseElement(const DataType& type, const json::Value& value) {
    switch (type.kind) {
        case DataKind::kBool: {
            const json::Value number = WithoutBool(value);
            double v = 0;
            if (!number.GetDouble(v)) return Bad(type, value);
            return std::string(1, v != 0 ? '\1' : '\0');
        }
        case DataKind::kInt:
        case DataKind::kUint:
            return ParseInteger(type, value);
        case DataKind::kFloat:
            return ParseFloat(type, value);
        case DataKind::kComplex:
            return ParseComplex(type, value);
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return ParseTime(type, value);
        case DataKind::kBytes:
        case DataKind::kUnicode:
        case DataKind::kVoid:
        case DataKind::kStruct:
            return ParseText(type, value);
        case DataKind::kObject:
            return ParseObject(value);
    }
    return Bad(type, value);
}

json::Value FloatJson(const DataType& type, const char* element) {
    const double number = ElementDouble(type, reinterpret_cast<const std::uint8_t*>(element));
    if (std::isnan(number)) return json::Value("NaN");
    if (std::isinf(number)) return json::Value(number > 0 ? "Infinity" : "-Infinity");
    return json::Value(number);
}

// Returns the base64 of an element in its stored byte order.
json::Value Base64Json(const DataType& type, std::string_view element) {
    std::string stored(element);
    SwapElements(type, reinterpret_cast<std::uint8_t*>(stored.data()), 1);
    if (type.kind == DataKind::kBytes) stored.resize(stored.find_last_not_of('\0') + 1);
    return json::Value(Base64Encode(ByteSpan(stored)));
}

Result<json::Value> UnicodeJson(const DataType& type, std::string_view element) {
    for (std::size_t at = 0; at < element.size(); at += 4) {
        const auto unit = LoadNative<std::uint32_t>(element.data() + at);
        if (unit > 0x10ffff || (unit >= 0xd800 && unit <= 0xdfff))
            return Status::Invalid("fill_value: character " + std::to_string(at / 4) +
                                   " of an element of dtype " + type.ToString() + " is " +
                                   std::to_string(unit) + ", which is not a Unicode character");
    }
    return json::Value(
        Ucs4ToUtf8(reinterpret_cast<const std::uint8_t*>(element.data()), element.size() / 4));
}

}  // namespace

FillValue::FillValue(std::string bytes, std::size_t size)
    : trimmed_(std::move(bytes)), size_(size) {
    trimmed_.resize(std::min(trimmed_.find_last_not_of('\0') + 1, size_));
}

FillValue FillValue::OfObject(std::string text) {
    FillValue value;
    value.trimmed_ = std::move(text);
    value.size_ = value.trimmed_.size();
    return value;
}

std::string FillValue::Part(std::size_t offset, std::size_t size) const {
    std::string part = offset < trimmed_.size() ? trimmed_.substr(offset, size) : std::string();
    part.resize(size, '\0');
    return part;
}

void FillValue::CopyTo(std::uint8_t* to) const {
    std::copy(trimmed_.begin(), trimmed_.end(), to);
    std::fill(to + trimmed_.size(), to + size_, std::uint8_t{0});
}

Result<FillValue> ParseFillValue(const DataType& type, const json::Value& value) {
    ZARR_ASSIGN_OR_RETURN(std::string bytes, ParseElement(type, value));
    if (type.kind == DataKind::kObject) return FillValue::OfObject(std::move(bytes));
    return FillValue(std::move(bytes), type.size);
}

// ---------------------------------------------------------------------------------------------
// JSON

Result<json::Value> FillValueToJson(const DataType& type, std::string_view element) {
    if (type.kind != DataKind::kObject && element.size() != type.size)
        return Status::Invalid("fill_value: has " + std::to_string(element.size()) +
                               " bytes, but an element of dtype " + type.ToString() + " has " +
                               std::to_string(type.size));
    switch (type.kind) {
        case DataKind::kBool:
            return json::Value(element[0] != '\0');
        case DataKind::kInt:
        case DataKind::kUint:
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return json::Parse(
                ElementText(type, reinterpret_cast<const std::uint8_t*>(element.data())));
        case DataKind::kFloat:
            return FloatJson(type, element.data());
        case DataKind::kComplex: {
            DataType part = type;
            part.kind = DataKind::kFloat;
            part.size /= 2;
            return json::Value(json::Array{FloatJson(part, element.data()),
                                           FloatJson(part, element.data() + part.size)});
        }
        case DataKind::kBytes:
        case DataKind::kVoid:
        case DataKind::kStruct:
            return Base64Json(type, element);
        case DataKind::kUnicode:
            return UnicodeJson(type, element);
        case DataKind::kObject:
            if (!IsValidUtf8(element))
                return Status::Invalid("fill_value: " + Quoted(element) + " is not UTF-8 text");
            return json::Value(std::string(element));
    }
    return Status::Invalid("fill_value: the dtype of the array is unknown");
}

}  // namespace zarr
