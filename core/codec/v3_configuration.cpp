// SPDX-License-Identifier: MIT
#include "core/codec/v3_configuration.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/base/text.h"

namespace zarr {

namespace {

constexpr std::string_view kShuffleNames[] = {"noshuffle", "shuffle", "bitshuffle"};

// Joins names for an error message: `"a", "b" or "c"`.
std::string OneOf(std::initializer_list<std::string_view> names) {
    std::string text;
    for (const std::string_view& name : names) {
        if (!text.empty()) text += &name + 1 == names.end() ? " or " : ", ";
        text += Quoted(name);
    }
    return text;
}

Result<std::size_t> IndexOf(const json::Value& value, std::string_view key,
                            std::initializer_list<std::string_view> names) {
    const std::string* text = value.as_string();
    const auto* const name =
        text != nullptr ? std::find(names.begin(), names.end(), *text) : names.end();
    if (name == names.end()) return json::Expected(key, OneOf(names), value);
    return static_cast<std::size_t>(name - names.begin());
}

Result<std::int64_t> IntOf(const json::Value& value, std::string_view key, std::int64_t minimum,
                           std::int64_t maximum) {
    std::int64_t number = 0;
    if (value.GetInt64(number) && number >= minimum && number <= maximum) return number;
    return json::Expected(
        key, "an integer from " + std::to_string(minimum) + " to " + std::to_string(maximum),
        value);
}

constexpr std::string_view kTypeMembers[] = {"dtype", "astype", "encode_dtype", "decode_dtype"};

// Returns the NumPy typestr of a type name such as "int32", in the host's byte order. Returns any
// other name unchanged.
std::string TypestrOf(const std::string& name) {
    struct Named {
        std::string_view name;
        std::string_view code;
    };
    static constexpr Named kNamed[] = {
        {"bool", "b1"},      {"int8", "i1"},        {"int16", "i2"},   {"int32", "i4"},
        {"int64", "i8"},     {"uint8", "u1"},       {"uint16", "u2"},  {"uint32", "u4"},
        {"uint64", "u8"},    {"float16", "f2"},     {"float32", "f4"}, {"float64", "f8"},
        {"complex64", "c8"}, {"complex128", "c16"},
    };
    for (const Named& named : kNamed) {
        if (name != named.name && name != named.code && name != "=" + std::string(named.code))
            continue;
        const bool is_byte = named.code[1] == '1' && named.code.size() == 2;
        return (is_byte ? "|" : HostIsLittleEndian() ? "<" : ">") + std::string(named.code);
    }
    return name;
}

}  // namespace

Status CheckMembers(const json::Value& configuration,
                    std::initializer_list<std::string_view> known) {
    const json::Object* members = configuration.as_object();
    if (members == nullptr) return json::Expected("configuration", "an object", configuration);
    for (const json::Member& member : *members)
        if (std::find(known.begin(), known.end(), member.first) == known.end())
            return Status::Corrupt("unknown member " + Quoted(member.first) +
                                   " of the configuration");
    return {};
}

Result<std::int64_t> RequiredInt(const json::Value& configuration, std::string_view key,
                                 std::int64_t minimum, std::int64_t maximum) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(configuration, key));
    return IntOf(*member, key, minimum, maximum);
}

Result<double> RequiredNumber(const json::Value& configuration, std::string_view key) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(configuration, key));
    double number = 0;
    if (!member->GetDouble(number)) return json::Expected(key, "a number", *member);
    return number;
}

Result<std::size_t> RequiredName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(configuration, key));
    return IndexOf(*member, key, names);
}

Result<std::size_t> OptionalName(const json::Value& configuration, std::string_view key,
                                 std::initializer_list<std::string_view> names) {
    const json::Value* member = configuration.Find(key);
    if (member == nullptr) return std::size_t{0};
    return IndexOf(*member, key, names);
}

Result<std::vector<CodecSpec>> RequiredCodecs(const json::Value& configuration,
                                              std::string_view key) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(configuration, key));
    const json::Array* items = member->as_array();
    if (items == nullptr) return json::Expected(key, "an array of codecs", *member);
    if (items->size() > LimitOf(Limit::kFilters))
        return OverLimit(Limit::kFilters,
                         std::string(key) + ": has " + std::to_string(items->size()) + " codecs");
    std::vector<CodecSpec> codecs;
    for (std::size_t i = 0; i < items->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(
            CodecSpec codec,
            ParseV3Codec((*items)[i], std::string(key) + "[" + std::to_string(i) + "]"));
        codecs.push_back(std::move(codec));
    }
    return codecs;
}

// Reads the configuration of blosc. Translates the shuffle from its Zarr v3 name to the number that
// numcodecs uses.
Result<json::Value> ReadBloscConfiguration(const json::Value& configuration,
                                           const CodecContext& /*context*/) {
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    ZARR_RETURN_IF_ERROR(
        CheckMembers(configuration, {"cname", "clevel", "shuffle", "typesize", "blocksize"}));
    ZARR_ASSIGN_OR_RETURN(const std::size_t cname,
                          RequiredName(configuration, "cname",
                                       {"lz4", "lz4hc", "blosclz", "zstd", "snappy", "zlib"}));
    static_cast<void>(cname);
    ZARR_ASSIGN_OR_RETURN(const std::int64_t level, RequiredInt(configuration, "clevel", 0, 9));
    ZARR_ASSIGN_OR_RETURN(const std::size_t shuffle,
                          RequiredName(configuration, "shuffle",
                                       {kShuffleNames[0], kShuffleNames[1], kShuffleNames[2]}));
    json::Object options{{"cname", *configuration.Find("cname")},
                         {"clevel", json::Value(level)},
                         {"shuffle", json::Value(std::uint64_t{shuffle})}};
    const auto type_size = RequiredInt(configuration, "typesize", 1, kMost);
    if (type_size.ok())
        options.emplace_back("typesize", json::Value(*type_size));
    else if (shuffle != 0)  // "typesize" may be missing if there is no shuffle
        return type_size.status();
    if (configuration.Find("blocksize") != nullptr) {
        ZARR_ASSIGN_OR_RETURN(const std::int64_t block_size,
                              RequiredInt(configuration, "blocksize", 0, kMost));
        options.emplace_back("blocksize", json::Value(block_size));
    }
    return json::Value(std::move(options));
}

Result<json::Value> ReadGzipConfiguration(const json::Value& configuration,
                                          const CodecContext& /*context*/) {
    ZARR_RETURN_IF_ERROR(CheckMembers(configuration, {"level"}));
    ZARR_RETURN_IF_ERROR(RequiredInt(configuration, "level", 0, 9).status());
    return configuration;
}

Result<json::Value> ReadZstdConfiguration(const json::Value& configuration,
                                          const CodecContext& /*context*/) {
    ZARR_RETURN_IF_ERROR(CheckMembers(configuration, {"level", "checksum"}));
    ZARR_RETURN_IF_ERROR(RequiredInt(configuration, "level", -131072, 22).status());
    const json::Value* checksum = configuration.Find("checksum");
    if (checksum != nullptr && checksum->as_bool() == nullptr)
        return json::Expected("checksum", "a boolean", *checksum);
    return configuration;
}

Result<json::Value> ReadEmptyConfiguration(const json::Value& configuration,
                                           const CodecContext& /*context*/) {
    ZARR_RETURN_IF_ERROR(CheckMembers(configuration, {}));
    return configuration;
}

Result<json::Value> ReadNumcodecsConfiguration(const json::Value& configuration,
                                               const CodecContext& context) {
    json::Value options = configuration;
    json::Object& members = *options.MutableObject();
    for (const std::string_view key : kTypeMembers) {
        json::Value* member = json::FindMember(members, key);
        if (member != nullptr && member->as_string() != nullptr)
            *member = json::Value(TypestrOf(*member->as_string()));
    }
    if (!context.dtype.is_numeric() || context.dtype.narrow != NarrowType::kNone) return options;
    const json::Value own(context.dtype.Native().ToString());
    const bool scales = options.Find("digits") != nullptr || options.Find("scale") != nullptr;
    if (scales && options.Find("dtype") == nullptr) json::PutMember(members, "dtype", own);
    if (options.Find("encode_dtype") != nullptr && options.Find("decode_dtype") == nullptr)
        json::PutMember(members, "decode_dtype", own);
    return options;
}

Result<json::Value> ReadShuffleConfiguration(const json::Value& configuration,
                                             const CodecContext& context) {
    json::Value options = configuration;
    if (options.Find("elementsize") == nullptr)
        json::PutMember(*options.MutableObject(), "elementsize",
                        json::Value(std::uint64_t{context.dtype.size}));
    return options;
}

json::Value BloscConfiguration(const json::Value& options, const DataType& dtype) {
    constexpr std::int64_t kAutoShuffle = -1;
    const json::Value* const compressor = options.Find("cname");
    const json::Value* const level = options.Find("clevel");
    const json::Value* const block_size = options.Find("blocksize");
    std::int64_t shuffle = 1;
    std::int64_t type_size =
        dtype.kind == DataKind::kObject ? 1 : static_cast<std::int64_t>(dtype.size);
    if (const json::Value* member = options.Find("typesize")) member->GetInt64(type_size);
    if (const json::Value* member = options.Find("shuffle")) member->GetInt64(shuffle);
    if (shuffle == kAutoShuffle) shuffle = type_size == 1 ? 2 : 1;
    // An invalid shuffle number is written unchanged, so that the codec blosc reports the number.
    const json::Value name =
        shuffle >= 0 && shuffle <= 2 ? json::Value(kShuffleNames[shuffle]) : json::Value(shuffle);
    return json::Value(json::Object{
        {"cname", compressor != nullptr ? *compressor : json::Value("lz4")},
        {"clevel", level != nullptr ? *level : json::Value(std::int64_t{5})},
        {"shuffle", name},
        {"typesize", json::Value(std::max<std::int64_t>(type_size, 1))},
        {"blocksize", block_size != nullptr ? *block_size : json::Value(std::int64_t{0})}});
}

json::Value GzipConfiguration(const json::Value& options, const DataType& /*dtype*/) {
    const json::Value* const level = options.Find("level");
    return json::Value(
        json::Object{{"level", level != nullptr ? *level : json::Value(std::int64_t{1})}});
}

json::Value ZstdConfiguration(const json::Value& options, const DataType& /*dtype*/) {
    const json::Value* const level = options.Find("level");
    const json::Value* const checksum = options.Find("checksum");
    return json::Value(
        json::Object{{"level", level != nullptr ? *level : json::Value(std::int64_t{1})},
                     {"checksum", checksum != nullptr ? *checksum : json::Value(false)}});
}

// numcodecs' default of 4 is written if "elementsize" is missing, because Zarr v3 would use the
// array's element size.
json::Value ShuffleConfiguration(const json::Value& options, const DataType& /*dtype*/) {
    json::Value configuration = options;
    if (options.Find("elementsize") == nullptr)
        json::PutMember(*configuration.MutableObject(), "elementsize",
                        json::Value(std::int64_t{4}));
    return configuration;
}

json::Value EmptyConfiguration(const json::Value& /*options*/, const DataType& /*dtype*/) {
    return json::Value(json::Object{});
}

// Returns the v3 configuration for `options`, with little-endian instead of big-endian data types.
// On a little-endian host, items are little-endian until the codec "bytes" encodes them.
json::Value NumcodecsConfiguration(const json::Value& options, const DataType& /*dtype*/) {
    json::Value configuration = options;
    for (const std::string_view key : kTypeMembers) {
        json::Value* member = json::FindMember(*configuration.MutableObject(), key);
        if (member == nullptr || member->as_string() == nullptr) continue;
        std::string typestr = *member->as_string();
        if (!typestr.empty() && typestr[0] == '>') typestr[0] = '<';
        *member = json::Value(std::move(typestr));
    }
    return configuration;
}

}  // namespace zarr
