// SPDX-License-Identifier: MIT
#include "core/dtype/v3_types.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "core/base/limits.h"
#include "core/base/text.h"
#include "core/dtype/element_bytes.h"
#include "core/dtype/narrow_types.h"

namespace zarr {

namespace {

constexpr int kMaxV3StructDepth = 16;
constexpr std::string_view kComplexPrefix = "complex_";
constexpr std::string_view kDatetimeName = "numpy.datetime64";
constexpr std::string_view kTimedeltaName = "numpy.timedelta64";
constexpr std::string_view kUtf32Name = "fixed_length_utf32";
constexpr std::string_view kPaddedBytesName = "null_terminated_bytes";
constexpr std::string_view kRawBytesName = "raw_bytes";
constexpr std::string_view kStructName = "struct";
constexpr std::string_view kOldStructName = "structured";
constexpr std::string_view kOptionalName = "zarrs.optional";
constexpr std::string_view kOldOptionalName = "optional";
constexpr std::string_view kGenericUnit = "generic";
constexpr std::uint64_t kMostTimeMultiple = 2147483647;

// Types that have a name and no configuration. If two names mean one type, new metadata gets the
// first name.
struct PlainType {
    std::string_view name;
    DataKind kind;
    std::size_t size;
    ObjectKind object_kind = ObjectKind::kAny;
};

constexpr PlainType kPlainTypes[] = {
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
    {"complex64", DataKind::kComplex, 8},
    {"complex128", DataKind::kComplex, 16},
    {"complex_float16", DataKind::kComplex, 4},
    {"complex_float32", DataKind::kComplex, 8},
    {"complex_float64", DataKind::kComplex, 16},
    {"string", DataKind::kObject, sizeof(ObjectRef), ObjectKind::kText},
    {"bytes", DataKind::kObject, sizeof(ObjectRef), ObjectKind::kBytes},
    {"variable_length_bytes", DataKind::kObject, sizeof(ObjectRef), ObjectKind::kBytes},
};

DataType MakeType(DataKind kind, std::size_t size, ByteOrder order) {
    DataType type;
    type.kind = kind;
    type.size = size;
    type.order = order;
    return type;
}

// Returns the type with the name `name` and no configuration; nullopt if no such type exists.
std::optional<DataType> PlainTypeOf(std::string_view name) {
    const auto* const plain =
        std::find_if(std::begin(kPlainTypes), std::end(kPlainTypes),
                     [&](const PlainType& candidate) { return candidate.name == name; });
    if (plain != std::end(kPlainTypes)) {
        const bool has_order = plain->size > 1 && plain->kind != DataKind::kObject;
        DataType type = MakeType(plain->kind, plain->size,
                                 has_order ? ByteOrder::kLittle : ByteOrder::kNotRelevant);
        type.object_kind = plain->object_kind;
        return type;
    }
    const bool is_complex = name.substr(0, kComplexPrefix.size()) == kComplexPrefix;
    const NarrowType narrow = NarrowTypeOf(is_complex ? name.substr(kComplexPrefix.size()) : name);
    if (narrow == NarrowType::kNone || (is_complex && FormatOf(narrow).kind != DataKind::kFloat))
        return std::nullopt;
    return MakeNarrowType(narrow, is_complex);
}

// Parses the type name `r<bits>`, such as "r16". Returns nullopt if `name` has another form.
std::optional<Result<DataType>> RawBits(std::string_view name) {
    const std::string_view digits = name.substr(std::min<std::size_t>(name.size(), 1));
    if (name.substr(0, 1) != "r" || digits.empty() ||
        digits.find_first_not_of("0123456789") != std::string_view::npos)
        return std::nullopt;
    std::uint64_t bits = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
    if (error != std::errc() || bits / 8 > LimitOf(Limit::kStringSize))
        return OverLimit(Limit::kStringSize, Quoted(name) + " has elements that are too large");
    if (digits[0] == '0' || bits % 8 != 0)
        return Status::Corrupt(Quoted(name) + ": expected a multiple of 8 bits");
    return MakeType(DataKind::kVoid, static_cast<std::size_t>(bits / 8), ByteOrder::kNotRelevant);
}

Status RejectOtherMembers(const json::Object& object, std::initializer_list<std::string_view> known,
                          std::string_view of) {
    for (const json::Member& member : object)
        if (std::find(known.begin(), known.end(), member.first) == known.end())
            return Status::Corrupt("unknown member " + Quoted(member.first) + " of " +
                                   std::string(of));
    return {};
}

// Parsed form of "data_type": the type's name and its configuration.
struct NamedType {
    std::string name;
    const json::Value* configuration = nullptr;  // an object; nullptr if absent
    // Type to use if the name is unknown; nullptr if absent. Drafts of the specification had this
    // member.
    const json::Value* fallback = nullptr;

    // Fails if the configuration has members. Called for types without a configuration.
    Status RefuseConfiguration() const {
        return configuration == nullptr
                   ? Status()
                   : RejectOtherMembers(*configuration->as_object(), {}, Quoted(name));
    }
    // Fails unless the configuration has exactly the members `names`.
    Status RequireMembers(std::initializer_list<std::string_view> names) const {
        if (configuration == nullptr)
            return Status::Corrupt("the configuration of " + Quoted(name) + " is missing");
        for (const std::string_view member : names)
            if (configuration->Find(member) == nullptr)
                return Status::Corrupt("the compulsory member " + Quoted(member) + " of " +
                                       Quoted(name) + " is missing");
        return RejectOtherMembers(*configuration->as_object(), names, Quoted(name));
    }
    const json::Value& Member(std::string_view member) const {
        return *configuration->Find(member);
    }
};

Result<NamedType> ParseNamedType(const json::Value& value) {
    if (const std::string* const name = value.as_string()) return NamedType{*name};
    const json::Object* const object = value.as_object();
    const json::Value* const name = value.Find("name");
    if (object == nullptr || name == nullptr || name->as_string() == nullptr)
        return json::Expected("", "a name, or an object with a \"name\"", value);
    ZARR_RETURN_IF_ERROR(RejectOtherMembers(
        *object, {"name", "configuration", "must_understand", "fallback"}, "the object"));
    const json::Value* const understand = value.Find("must_understand");
    if (understand != nullptr && (understand->as_bool() == nullptr || !*understand->as_bool()))
        return json::Expected("must_understand", "true", *understand);
    const json::Value* const configuration = value.Find("configuration");
    if (configuration != nullptr && configuration->as_object() == nullptr)
        return json::Expected("configuration", "an object", *configuration);
    return NamedType{*name->as_string(), configuration, value.Find("fallback")};
}

Result<DataType> ParseTime(const NamedType& named) {
    ZARR_RETURN_IF_ERROR(named.RequireMembers({"unit", "scale_factor"}));
    DataType type =
        MakeType(named.name == kDatetimeName ? DataKind::kDatetime : DataKind::kTimedelta,
                 sizeof(std::int64_t), ByteOrder::kLittle);
    const json::Value& unit = named.Member("unit");
    const std::string* const text = unit.as_string();
    if (text == nullptr) return json::Expected("unit", "a time unit", unit);
    if (*text != kGenericUnit) {
        const auto known = TimeUnitOf(*text);
        if (!known) return json::Expected("unit", "a time unit of NumPy", unit);
        type.time_unit = *known;
    }
    const json::Value& factor = named.Member("scale_factor");
    std::uint64_t multiple = 0;
    if (!factor.GetUint64(multiple) || multiple < 1 || multiple > kMostTimeMultiple)
        return json::Expected("scale_factor",
                              "an integer from 1 to " + std::to_string(kMostTimeMultiple), factor);
    type.time_multiple = multiple;
    return type;
}

// Parses a data type of fixed length. The configuration states the length in bytes, which must be a
// multiple of `unit`.
Result<DataType> ParseFixedLength(const NamedType& named, DataKind kind, std::size_t unit,
                                  ByteOrder order) {
    constexpr std::string_view kLength = "length_bytes";
    ZARR_RETURN_IF_ERROR(named.RequireMembers({kLength}));
    const json::Value& length = named.Member(kLength);
    ZARR_ASSIGN_OR_RETURN(const std::uint64_t bytes, json::UintAtLeast(length, 1, kLength));
    if (bytes % unit != 0)
        return json::Expected(kLength, "a multiple of " + std::to_string(unit), length);
    if (bytes > LimitOf(Limit::kStringSize))
        return OverLimit(Limit::kStringSize, "length_bytes: elements of " + std::to_string(bytes) +
                                                 " bytes are too large");
    return MakeType(kind, static_cast<std::size_t>(bytes), order);
}

Result<DataType> ParseAnyV3(const json::Value& value, int depth);

// Parses a field of a structure. A field is an object; for "structured" (`is_pair_allowed`) also a
// pair [name, data_type].
Result<Field> ParseV3Field(const json::Value& value, bool is_pair_allowed, int depth) {
    const json::Value* name = value.Find("name");
    const json::Value* type = value.Find("data_type");
    const json::Array* const pair = value.as_array();
    if (is_pair_allowed && pair != nullptr && pair->size() == 2) {
        name = pair->data();
        type = pair->data() + 1;
    } else if (const json::Object* const object = value.as_object()) {
        ZARR_RETURN_IF_ERROR(RejectOtherMembers(*object, {"name", "data_type"}, "a field"));
    }
    if (name == nullptr || type == nullptr || name->as_string() == nullptr)
        return json::Expected("", "a field with a name and a data_type", value);
    Field field;
    field.name = *name->as_string();
    if (field.name.empty()) return json::Expected("name", "a name that is not empty", *name);
    auto parsed = ParseAnyV3(*type, depth);
    if (!parsed.ok()) return parsed.status().WithContext("field " + Quoted(field.name));
    field.type = parsed.Take();
    if (field.type.kind == DataKind::kObject)
        return Status::Corrupt(
            "field " + Quoted(field.name) +
            ": a data type of variable length is not allowed inside a structure");
    return field;
}

Result<DataType> ParseV3Struct(const NamedType& named, int depth) {
    if (depth >= kMaxV3StructDepth)
        return Status::Limit("structures nest more than " + std::to_string(kMaxV3StructDepth) +
                             " levels deep");
    ZARR_RETURN_IF_ERROR(named.RequireMembers({"fields"}));
    const json::Value& value = named.Member("fields");
    const json::Array* const fields = value.as_array();
    if (fields == nullptr || fields->empty())
        return json::Expected("fields", "an array of at least one field", value);
    DataType type = MakeType(DataKind::kStruct, 0, ByteOrder::kNotRelevant);
    std::set<std::string> names;
    for (const json::Value& item : *fields) {
        ZARR_ASSIGN_OR_RETURN(Field field,
                              ParseV3Field(item, named.name == kOldStructName, depth + 1));
        if (!names.insert(field.name).second)
            return Status::Corrupt("two fields are called " + Quoted(field.name));
        if (field.type.size > LimitOf(Limit::kStringSize) - type.size)
            return OverLimit(Limit::kStringSize, "the elements are too large");
        field.offset = type.size;
        type.size += field.type.size;
        type.fields.push_back(std::move(field));
    }
    return type;
}

// Returns the element that represents a missing value by default, a value that data rarely
// contains. Returns nullopt if the type has no such value.
std::optional<std::string> DefaultMissing(const DataType& type) {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    const bool is_narrow = type.narrow != NarrowType::kNone;
    const std::size_t part = type.kind == DataKind::kComplex ? type.size / 2 : type.size;
    switch (type.kind) {
        case DataKind::kInt:
            if (is_narrow) return NarrowBytes(type.narrow, -HUGE_VAL);
            return IntegerBytes(type.size, std::uint64_t{1} << (8 * type.size - 1));
        case DataKind::kUint:
            if (is_narrow) return NarrowBytes(type.narrow, HUGE_VAL);
            return IntegerBytes(type.size, ~std::uint64_t{0});
        case DataKind::kFloat:
        case DataKind::kComplex: {
            if (is_narrow && !IsRepresentable(type.narrow, kNan)) return std::nullopt;
            const std::string nan =
                is_narrow ? NarrowBytes(type.narrow, kNan) : FloatBytes(part, kNan);
            return part == type.size ? nan : nan + nan;
        }
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return IntegerBytes(type.size, static_cast<std::uint64_t>(kNotATime));
        default:
            return std::nullopt;
    }
}

// Parses the configuration of zarrs.optional. The configuration has the form of "data_type" and
// describes the element type.
Result<DataType> ParseOptional(const NamedType& named, int depth) {
    if (depth > 0)
        return Status::Unsupported(std::string(kOptionalName) +
                                   " is unsupported inside another data type");
    if (named.configuration == nullptr)
        return Status::Corrupt("the configuration of " + Quoted(named.name) + " is missing");
    ZARR_ASSIGN_OR_RETURN(DataType type, ParseAnyV3(*named.configuration, depth + 1));
    type.missing = DefaultMissing(type);
    if (type.missing) return type;
    return Status::Unsupported(
        std::string(kOptionalName) + " of " + type.ToString() +
        " is unsupported: that type has no value that could stand for missing elements");
}

Result<DataType> ParseAnyV3(const json::Value& value, int depth) {
    ZARR_ASSIGN_OR_RETURN(const NamedType named, ParseNamedType(value));
    if (named.name == kOptionalName || named.name == kOldOptionalName)
        return ParseOptional(named, depth);
    if (named.name == kDatetimeName || named.name == kTimedeltaName) return ParseTime(named);
    if (named.name == kStructName || named.name == kOldStructName)
        return ParseV3Struct(named, depth);
    if (named.name == kUtf32Name)
        return ParseFixedLength(named, DataKind::kUnicode, sizeof(char32_t), ByteOrder::kLittle);
    if (named.name == kPaddedBytesName)
        return ParseFixedLength(named, DataKind::kBytes, 1, ByteOrder::kNotRelevant);
    if (named.name == kRawBytesName)
        return ParseFixedLength(named, DataKind::kVoid, 1, ByteOrder::kNotRelevant);
    if (auto plain = PlainTypeOf(named.name)) {
        ZARR_RETURN_IF_ERROR(named.RefuseConfiguration());
        return std::move(*plain);
    }
    if (auto raw = RawBits(named.name)) {
        ZARR_RETURN_IF_ERROR(named.RefuseConfiguration());
        return std::move(*raw);
    }
    if (named.fallback != nullptr && depth < kMaxV3StructDepth)
        return ParseAnyV3(*named.fallback, depth + 1).WithContext("fallback");
    return Status::Unsupported("unknown data type " + Quoted(named.name));
}

json::Value Named(std::string_view name, json::Object configuration) {
    return json::Value(json::Object{{"name", json::Value(name)},
                                    {"configuration", json::Value(std::move(configuration))}});
}

json::Value FixedLength(std::string_view name, const DataType& type) {
    return Named(name, {{"length_bytes", json::Value(std::uint64_t{type.size})}});
}

Status NoV3Name(const DataType& type) {
    return Status::Invalid("dtype " + type.ToString() + " has no counterpart in Zarr v3");
}

Result<json::Value> TimeToJson(const DataType& type) {
    if (type.time_multiple > kMostTimeMultiple) return NoV3Name(type);
    const bool is_generic = type.time_unit == TimeUnit::kGeneric;
    return Named(type.kind == DataKind::kDatetime ? kDatetimeName : kTimedeltaName,
                 {{"unit", json::Value(is_generic ? kGenericUnit : TimeUnitName(type.time_unit))},
                  {"scale_factor", json::Value(type.time_multiple)}});
}

Result<json::Value> AnyToJson(const DataType& type);

// Returns the JSON of a structure, named "structured", because zarr-python 3.1 reads no other name.
// Newer versions also read the specification's name "struct".
Result<json::Value> StructToJson(const DataType& type) {
    json::Array fields;
    std::set<std::string_view> names;
    for (const Field& field : type.fields) {
        const std::string where = "field " + Quoted(field.name);
        if (field.name.empty() || !names.insert(field.name).second)
            return Status::Invalid(where + ": field names must be unique and not empty");
        if (!field.shape.empty())
            return Status::Unsupported(where + ": Zarr v3 has no subarrays in structures");
        // Write raw bytes inside a structure as raw_bytes, because zarr-python does not accept
        // r<bits> there.
        auto own = field.type.kind == DataKind::kVoid && field.type.size != 0
                       ? FixedLength(kRawBytesName, field.type)
                       : AnyToJson(field.type);
        if (!own.ok()) return own.status().WithContext(where);
        fields.emplace_back(json::Array{json::Value(field.name), own.Take()});
    }
    return Named(kOldStructName, {{"fields", json::Value(std::move(fields))}});
}

Result<json::Value> AnyToJson(const DataType& type) {
    if (type.narrow != NarrowType::kNone) {
        const std::string prefix(type.kind == DataKind::kComplex ? kComplexPrefix : "");
        return json::Value(prefix + std::string(FormatOf(type.narrow).name));
    }
    if (type.size == 0) return NoV3Name(type);
    switch (type.kind) {
        case DataKind::kDatetime:
        case DataKind::kTimedelta:
            return TimeToJson(type);
        case DataKind::kBytes:
            return FixedLength(kPaddedBytesName, type);
        case DataKind::kUnicode:
            return FixedLength(kUtf32Name, type);
        case DataKind::kVoid:
            return json::Value("r" + std::to_string(std::uint64_t{type.size} * 8));
        case DataKind::kStruct:
            return StructToJson(type);
        default:
            break;
    }
    const ObjectKind object_kind =
        type.kind == DataKind::kObject && type.object_kind == ObjectKind::kAny ? ObjectKind::kText
                                                                               : type.object_kind;
    const auto* const plain = std::find_if(
        std::begin(kPlainTypes), std::end(kPlainTypes), [&](const PlainType& candidate) {
            return candidate.kind == type.kind && candidate.size == type.size &&
                   candidate.object_kind == object_kind;
        });
    if (plain == std::end(kPlainTypes)) return NoV3Name(type);
    return json::Value(plain->name);
}

}  // namespace

Result<DataType> ParseV3DataType(const json::Value& value) {
    return ParseAnyV3(value, 0).WithContext("data_type");
}

Result<json::Value> V3DataTypeToJson(const DataType& type) {
    if (!type.missing) return AnyToJson(type).WithContext("data_type");
    ZARR_ASSIGN_OR_RETURN(json::Value elements, AnyToJson(type).WithContext("data_type"));
    if (const std::string* const name = elements.as_string())
        elements = Named(std::string(*name), {});
    return Named(kOptionalName, std::move(*elements.MutableObject()));
}

std::string V3DataTypeText(const DataType& type) {
    const auto value = AnyToJson(type);
    if (!value.ok()) return type.ToString();
    return value->as_string() != nullptr ? *value->as_string() : json::Brief(*value);
}

}  // namespace zarr
