// SPDX-License-Identifier: MIT
#include <cmath>

#include "core/base/endian.h"
#include "core/base/text.h"
#include "core/dtype/element_text.h"
#include "core/dtype/fill_value.h"

namespace zarr {

namespace {

json::Value FloatJson(const DataType& type, const char* element) {
    const double number = ElementDouble(type, reinterpret_cast<const std::uint8_t*>(element));
    if (std::isnan(number)) return json::Value("NaN");
    if (std::isinf(number)) return json::Value(number > 0 ? "Infinity" : "-Infinity");
    return json::Value(number);
}

// The bytes as stored, in base64.
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
                                   std::to_string(unit) + ", which is no Unicode character");
    }
    return json::Value(
        Ucs4ToUtf8(reinterpret_cast<const std::uint8_t*>(element.data()), element.size() / 4));
}

}  // namespace

Result<json::Value> FillValueToJson(const DataType& type, std::string_view element) {
    if (type.kind != DataKind::kObject && element.size() != type.size)
        return Status::Invalid("fill_value: has " + std::to_string(element.size()) +
                               " bytes, an element of dtype " + type.ToString() + " has " +
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
                return Status::Invalid("fill_value: " + Quoted(element) + " is no UTF-8 text");
            return json::Value(std::string(element));
    }
    return Status::Invalid("fill_value: not of a known dtype");
}

}  // namespace zarr
