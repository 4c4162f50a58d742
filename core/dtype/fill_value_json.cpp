// SPDX-License-Identifier: MIT
#include <cmath>

#include "core/base/endian.h"
#include "core/base/half.h"
#include "core/base/text.h"
#include "core/dtype/fill_value.h"

namespace zarr {

namespace {

json::Value IntegerJson(const DataType& type, const char* element) {
    const auto as_int = [](auto v) { return json::Value(std::int64_t{v}); };
    const auto as_uint = [](auto v) { return json::Value(std::uint64_t{v}); };
    const bool is_signed = type.kind == DataKind::kInt;
    switch (type.size) {
        case 1:
            return is_signed ? as_int(LoadNative<std::int8_t>(element))
                             : as_uint(LoadNative<std::uint8_t>(element));
        case 2:
            return is_signed ? as_int(LoadNative<std::int16_t>(element))
                             : as_uint(LoadNative<std::uint16_t>(element));
        case 4:
            return is_signed ? as_int(LoadNative<std::int32_t>(element))
                             : as_uint(LoadNative<std::uint32_t>(element));
        default:
            return is_signed ? as_int(LoadNative<std::int64_t>(element))
                             : as_uint(LoadNative<std::uint64_t>(element));
    }
}

json::Value FloatJson(std::size_t size, const char* element) {
    const double number = size == 2   ? HalfToFloat(LoadNative<std::uint16_t>(element))
                          : size == 4 ? static_cast<double>(LoadNative<float>(element))
                                      : LoadNative<double>(element);
    if (std::isnan(number)) return json::Value(std::string("NaN"));
    if (std::isinf(number)) return json::Value(std::string(number > 0 ? "Infinity" : "-Infinity"));
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
            return IntegerJson(type, element.data());
        case DataKind::kFloat:
            return FloatJson(type.size, element.data());
        case DataKind::kComplex:
            return json::Value(
                json::Array{FloatJson(type.size / 2, element.data()),
                            FloatJson(type.size / 2, element.data() + type.size / 2)});
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return json::Value(LoadNative<std::int64_t>(element.data()));
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
