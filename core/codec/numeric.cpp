// SPDX-License-Identifier: MIT
#include "core/codec/numeric.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/json/members.h"

namespace zarr {

namespace {

bool IsInteger(const DataType& type) {
    return type.kind == DataKind::kInt || type.kind == DataKind::kUint;
}

Result<DataType> ParseNumberType(const json::Value& value, std::string_view key) {
    if (value.as_string() == nullptr) return json::Expected(key, "a typestr", value);
    auto type = ParseTypestr(*value.as_string());
    if (!type.ok()) return Status::Corrupt(type.status().message()).WithContext(key);
    if (!type->is_numeric() && !type->is_time())
        return json::Expected(key, "the typestr of a number", value);
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

// Bytes of the float, or of the part of a complex number, that NumPy gives numbers of `type`.
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
    return "holds " + std::to_string(size) + " bytes, which is no multiple of its items' " +
           std::to_string(item);
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
    if (decoded_item == 0) return Status::Unsupported("items of no bytes");
    if (decoded.exact && decoded.max % decoded_item != 0)
        return Status::Invalid(NotWholeItems(decoded.max, decoded_item));
    return {};
}

SizeBound EncodedItems(SizeBound decoded, std::size_t decoded_item, std::size_t encoded_item) {
    if (decoded_item == 0) return {0, decoded.exact};
    return {SaturatingMul(decoded.max / decoded_item, encoded_item), decoded.exact};
}

}  // namespace zarr
