// SPDX-License-Identifier: MIT
#include "core/dtype/data_type.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/base/checked.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/dtype/narrow_types.h"
#include "core/json/value.h"

namespace zarr {

namespace {

// Maximum nesting depth of structured types. Real types nest two or three levels deep.
constexpr int kMaxStructDepth = 16;

constexpr std::array<std::string_view, 14> kUnitNames = {"",  "Y",  "M",  "W",  "D",  "h",  "m",
                                                         "s", "ms", "us", "ns", "ps", "fs", "as"};

Status BadTypestr(std::string_view text, const std::string& why) {
    return Status::Unsupported("dtype " + Quoted(text) + " " + why);
}

bool ParseNumber(std::string_view digits, std::size_t& number) {
    const char* end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, number);
    return error == std::errc() && stop == end && !digits.empty();
}

// Parses a time unit: "[25s]", "[ms]", or "" for no unit. Returns false if the text is invalid.
bool ParseTimeUnit(std::string_view text, DataType& type) {
    if (text.empty()) return true;
    if (text.size() < 3 || text.front() != '[' || text.back() != ']') return false;
    text = text.substr(1, text.size() - 2);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits > 0) {
        std::size_t multiple = 0;
        if (!ParseNumber(text.substr(0, digits), multiple) || multiple == 0) return false;
        type.time_multiple = multiple;
        text.remove_prefix(digits);
    }
    const auto unit = TimeUnitOf(text);
    if (unit) type.time_unit = *unit;
    return unit.has_value();
}

struct KindCode {
    char code;
    DataKind kind;
    std::array<std::size_t, 4> sizes;  // allowed sizes in bytes; only zeros if any size is allowed
};

constexpr KindCode kKinds[] = {
    {'b', DataKind::kBool, {1}},          {'i', DataKind::kInt, {1, 2, 4, 8}},
    {'u', DataKind::kUint, {1, 2, 4, 8}}, {'f', DataKind::kFloat, {2, 4, 8}},
    {'c', DataKind::kComplex, {8, 16}},   {'M', DataKind::kDatetime, {8}},
    {'m', DataKind::kTimedelta, {8}},     {'S', DataKind::kBytes, {}},
    {'a', DataKind::kBytes, {}},          {'U', DataKind::kUnicode, {}},
    {'V', DataKind::kVoid, {}},
};

// Returns the size in bytes of the numbers whose bytes are swapped together. Returns 1 if the type
// has no byte order.
std::size_t SwapUnit(const DataType& type) {
    switch (type.kind) {
        case DataKind::kComplex:
            return type.size / 2;
        case DataKind::kUnicode:
            return 4;
        case DataKind::kBytes:
        case DataKind::kVoid:
        case DataKind::kStruct:
        case DataKind::kObject:
            return 1;
        default:
            return type.size;
    }
}

Result<DataType> ParseAny(const json::Value& value, int depth);

Result<std::string> ParseFieldName(const json::Value& name) {
    if (name.as_string() != nullptr) return *name.as_string();
    // Accept a pair (title, name) instead of a field name, because NumPy may write such a pair.
    const json::Array* pair = name.as_array();
    if (pair != nullptr && pair->size() == 2 && (*pair)[1].as_string() != nullptr)
        return *(*pair)[1].as_string();
    return json::Expected("dtype", "a field name", name);
}

Result<Field> ParseField(const json::Value& value, int depth) {
    const json::Array* parts = value.as_array();
    if (parts == nullptr || parts->size() < 2 || parts->size() > 3)
        return json::Expected("dtype", "a field [name, dtype] or [name, dtype, shape]", value);
    Field field;
    ZARR_ASSIGN_OR_RETURN(field.name, ParseFieldName((*parts)[0]));
    ZARR_ASSIGN_OR_RETURN(field.type, ParseAny((*parts)[1], depth));
    if (field.type.kind == DataKind::kObject)
        return Status::Unsupported("field " + Quoted(field.name) +
                                   ": objects inside a structured dtype are unsupported");
    if (parts->size() == 3) {
        const json::Value& shape = (*parts)[2];
        if (shape.is_integer()) {
            ZARR_ASSIGN_OR_RETURN(const std::uint64_t n, json::UintAtLeast(shape, 0, "shape"));
            field.shape = {n};
        } else {
            ZARR_ASSIGN_OR_RETURN(field.shape, json::UintsAtLeast(shape, 0, "shape"));
        }
    }
    std::uint64_t count = 1;
    for (const std::uint64_t n : field.shape) {
        const auto product = CheckedMul(count, n);
        if (!product || *product > LimitOf(Limit::kStringSize))
            return OverLimit(Limit::kStringSize, "field " + Quoted(field.name) + " is too large");
        count = *product;
    }
    field.count = static_cast<std::size_t>(count);
    return field;
}

Result<DataType> ParseStruct(const json::Array& items, int depth) {
    if (depth >= kMaxStructDepth)
        return Status::Limit("dtype nests more than " + std::to_string(kMaxStructDepth) +
                             " structures");
    if (items.empty()) return Status::Corrupt("dtype: a structure needs at least one field");
    DataType type;
    type.kind = DataKind::kStruct;
    type.size = 0;
    for (const json::Value& item : items) {
        ZARR_ASSIGN_OR_RETURN(Field field, ParseField(item, depth + 1));
        field.offset = type.size;
        const auto bytes = CheckedMul(field.count, field.type.size);
        if (!bytes || *bytes > LimitOf(Limit::kStringSize) - type.size)
            return OverLimit(Limit::kStringSize, "dtype: the elements are too large");
        type.size += static_cast<std::size_t>(*bytes);
        type.fields.push_back(std::move(field));
    }
    return type;
}

Result<DataType> ParseAny(const json::Value& value, int depth) {
    if (value.as_string() != nullptr) return ParseTypestr(*value.as_string());
    if (value.as_array() != nullptr) return ParseStruct(*value.as_array(), depth);
    return json::Expected("dtype", "a string or a list of fields", value);
}

}  // namespace

std::optional<TimeUnit> TimeUnitOf(std::string_view name) {
    if (name == "\xce\xbcs") name = "us";  // spelled with the Greek letter mu
    const auto* const unit = std::find(kUnitNames.begin() + 1, kUnitNames.end(), name);
    if (unit == kUnitNames.end()) return std::nullopt;
    return static_cast<TimeUnit>(unit - kUnitNames.begin());
}

std::string_view TimeUnitName(TimeUnit unit) { return kUnitNames[static_cast<std::size_t>(unit)]; }

Result<DataType> ParseTypestr(std::string_view text) {
    if (text == "|O" || text == "O" || text == "object" || text == "|O8") {
        DataType type;
        type.kind = DataKind::kObject;
        type.size = sizeof(ObjectRef);
        return type;
    }
    std::string_view rest = text;
    DataType type;
    if (!rest.empty() && std::string_view("<>|=!").find(rest[0]) != std::string_view::npos) {
        type.order = rest[0] == '<'   ? ByteOrder::kLittle
                     : rest[0] == '>' ? ByteOrder::kBig
                                      : ByteOrder::kNotRelevant;
        rest.remove_prefix(1);
    }
    if (rest.empty()) return BadTypestr(text, "has no type");
    const auto* const code =
        std::find_if(std::begin(kKinds), std::end(kKinds),
                     [&](const KindCode& candidate) { return candidate.code == rest[0]; });
    if (code == std::end(kKinds)) return BadTypestr(text, "is not known");
    type.kind = code->kind;
    rest.remove_prefix(1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    std::size_t number = 0;
    if (!ParseNumber(rest.substr(0, digits), number)) return BadTypestr(text, "has no size");
    rest.remove_prefix(digits);
    const bool any_size = code->sizes[0] == 0;
    if (any_size) {
        const std::size_t unit = type.kind == DataKind::kUnicode ? 4 : 1;
        if (number > LimitOf(Limit::kStringSize) / unit)
            return OverLimit(Limit::kStringSize,
                             "dtype " + Quoted(text) + " has elements that are too large");
        type.size = number * unit;
    } else {
        if (std::find(code->sizes.begin(), code->sizes.end(), number) == code->sizes.end() ||
            number == 0)
            return BadTypestr(text, "has a size that is not supported");
        type.size = number;
    }
    if (type.is_time()) {
        if (!ParseTimeUnit(rest, type)) return BadTypestr(text, "has no valid time unit");
    } else if (!rest.empty()) {
        return BadTypestr(text, "has trailing characters");
    }
    if (SwapUnit(type) == 1) {
        type.order = ByteOrder::kNotRelevant;
    } else if (type.order == ByteOrder::kNotRelevant) {
        // Take little-endian for "|", "!" or no byte order. NumPy then means the byte order of the
        // host that wrote the store, and such hosts were little-endian.
        type.order = ByteOrder::kLittle;
    }
    return type;
}

Result<DataType> ParseDataType(const json::Value& value) { return ParseAny(value, 0); }

bool DataType::NeedsSwap() const {
    if (kind == DataKind::kStruct)
        return std::any_of(fields.begin(), fields.end(),
                           [](const Field& field) { return field.type.NeedsSwap(); });
    if (order == ByteOrder::kNotRelevant) return false;
    return (order == ByteOrder::kLittle) != HostIsLittleEndian();
}

DataType WithByteOrder(DataType type, ByteOrder order) {
    if (type.order != ByteOrder::kNotRelevant) type.order = order;
    for (Field& field : type.fields) field.type = WithByteOrder(std::move(field.type), order);
    return type;
}

DataType DataType::Native() const {
    return WithByteOrder(*this, HostIsLittleEndian() ? ByteOrder::kLittle : ByteOrder::kBig);
}

std::string DataType::ToString() const {
    const json::Value value = DataTypeToJson(*this);
    return value.as_string() != nullptr ? *value.as_string() : json::Dump(value);
}

json::Value DataTypeToJson(const DataType& type) {
    if (type.kind == DataKind::kStruct) {
        json::Array fields;
        for (const Field& field : type.fields) {
            json::Array parts{json::Value(field.name), DataTypeToJson(field.type)};
            if (!field.shape.empty())
                parts.emplace_back(json::Array(field.shape.begin(), field.shape.end()));
            fields.emplace_back(std::move(parts));
        }
        return json::Value(std::move(fields));
    }
    if (type.kind == DataKind::kObject) return json::Value("|O");
    const bool is_narrow = type.narrow != NarrowType::kNone;
    if (is_narrow || (type.kind == DataKind::kComplex && type.size == 4)) {
        std::string name = type.order == ByteOrder::kBig ? ">" : "";
        if (type.kind == DataKind::kComplex) name += "complex_";
        name += is_narrow ? FormatOf(type.narrow).name : "float16";
        return json::Value(std::move(name));
    }
    const auto* const code =
        std::find_if(std::begin(kKinds), std::end(kKinds),
                     [&](const KindCode& candidate) { return candidate.kind == type.kind; });
    std::string text(1, type.order == ByteOrder::kLittle ? '<'
                        : type.order == ByteOrder::kBig  ? '>'
                                                         : '|');
    text += code->code;
    text += std::to_string(type.kind == DataKind::kUnicode ? type.size / 4 : type.size);
    if (type.time_unit != TimeUnit::kGeneric) {
        text += '[';
        if (type.time_multiple != 1) text += std::to_string(type.time_multiple);
        text += TimeUnitName(type.time_unit);
        text += ']';
    }
    return json::Value(std::move(text));
}

void SwapElements(const DataType& type, std::uint8_t* data, std::size_t count) {
    if (!type.NeedsSwap()) return;
    if (type.kind != DataKind::kStruct) {
        const std::size_t unit = SwapUnit(type);
        SwapUnits(data, unit, count * (type.size / unit));
        return;
    }
    for (std::size_t i = 0; i < count; ++i, data += type.size)
        for (const Field& field : type.fields)
            SwapElements(field.type, data + field.offset, field.count);
}

}  // namespace zarr
