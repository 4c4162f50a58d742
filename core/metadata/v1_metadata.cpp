// SPDX-License-Identifier: MIT
#include "core/metadata/v1_metadata.h"

#include <algorithm>
#include <string>
#include <utility>

#include "core/base/text.h"
#include "core/codec/registry.h"
#include "core/json/value.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {

namespace {

bool IsFormat1(const json::Value& document) {
    const json::Value* const format = document.Find("zarr_format");
    std::int64_t version = 0;
    return format != nullptr && format->GetInt64(version) && version == 1;
}

Status CheckV1Format(const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* format, json::Require(document, "zarr_format"));
    return IsFormat1(document) ? Status() : json::Expected("zarr_format", "1", *format);
}

// Translates one member of "compression_opts" for Blosc to the spelling of numcodecs.
Result<json::Value> BloscOption(const json::Member& option) {
    const auto& [name, value] = option;
    const std::string where = "compression_opts." + name;
    if (name == "cname" && value.as_string() == nullptr)
        return json::Expected(where, "a string", value);
    if (name == "shuffle" && value.as_bool() != nullptr)
        return json::Value(std::int64_t{*value.as_bool() ? 1 : 0});
    std::int64_t number = 0;
    if ((name == "clevel" || name == "shuffle") && !value.GetInt64(number))
        return json::Expected(where, "an integer", value);
    return value;
}

// Adds the compression level `options` to `compressor`. The level is the only option of compressors
// such as zlib and bz2.
Status AddLevel(const json::Value& options, json::Object& compressor) {
    if (options.is_null()) return {};
    std::int64_t level = 0;
    if (!options.GetInt64(level)) return json::Expected("compression_opts", "an integer", options);
    compressor.emplace_back("level", json::Value(level));
    return {};
}

Status AddOptions(const json::Value& options, bool is_blosc, json::Object& compressor) {
    if (options.is_null()) return {};
    if (options.as_object() == nullptr)
        return json::Expected("compression_opts", "an object", options);
    for (const json::Member& option : *options.as_object()) {
        if (option.first == "id" || option.second.is_null()) continue;
        json::Value value = option.second;
        if (is_blosc) {
            ZARR_ASSIGN_OR_RETURN(value, BloscOption(option));
        }
        compressor.emplace_back(option.first, std::move(value));
    }
    return {};
}

// Translates "compression" and "compression_opts" of v1 to the "compressor" of v2.
Result<json::Value> TranslateCompression(const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* compression, json::Require(document, "compression"));
    if (compression->is_null()) return json::Value();
    const std::string id =
        compression->as_string() != nullptr ? *compression->as_string() : std::string();
    if (id == "none") return json::Value();
    const json::Value* const given = document.Find("compression_opts");
    const json::Value options = given != nullptr ? *given : json::Value();
    // zarr-python 1 has two names for zlib, "zlib" and "gzip".
    json::Object compressor{{"id", json::Value(id == "gzip" ? "zlib" : id)}};
    if (id == "zlib" || id == "gzip" || id == "bz2")
        ZARR_RETURN_IF_ERROR(AddLevel(options, compressor));
    else if (id == "blosc" || id == "lzma")
        ZARR_RETURN_IF_ERROR(AddOptions(options, id == "blosc", compressor));
    else
        return json::Expected("compression",
                              R"("blosc", "zlib", "gzip", "bz2", "lzma", "none" or null)",
                              *compression);
    json::Value translated(std::move(compressor));
    // The codec is validated here, so that errors name the members of v1 rather than v2.
    ZARR_ASSIGN_OR_RETURN(const CodecSpec spec, ParseNumcodecs(translated, "compression"));
    const auto codec = MakeCodec(spec, {});
    if (!codec.ok()) return codec.status().WithContext("compression_opts");
    return translated;
}

// Translates the fill value of byte strings to base64, as in v2. Zarr v1 stores the text itself.
Result<json::Value> TranslateFillValue(const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* fill, json::Require(document, "fill_value"));
    const json::Value* const dtype = document.Find("dtype");
    const std::string* const type = dtype != nullptr ? dtype->as_string() : nullptr;
    const std::string* const text = fill->as_string();
    const bool is_bytes = type != nullptr && type->find('S') <= 1;
    if (!is_bytes || text == nullptr) return *fill;
    return json::Value(Base64Encode(ByteSpan(std::string_view(*text))));
}

}  // namespace

bool IsV1Metadata(std::string_view text) {
    if (text.find("\"zarr_format\"") == std::string_view::npos) return false;
    const auto document = json::Parse(text);
    return document.ok() && IsFormat1(*document);
}

bool LooksLikeV1Metadata(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos || text[first] != '{') return false;
    const auto names = [&](std::string_view member) {
        return text.find(member) != std::string_view::npos;
    };
    return names("\"zarr_format\"") || (names("\"chunks\"") && names("\"compression\""));
}

Result<ArrayMetadata> ParseV1Metadata(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value document, json::Parse(text));
    ZARR_RETURN_IF_ERROR(CheckV1Format(document));
    ZARR_ASSIGN_OR_RETURN(json::Value compressor, TranslateCompression(document));
    ZARR_ASSIGN_OR_RETURN(json::Value fill_value, TranslateFillValue(document));
    json::Object translated{{"compressor", std::move(compressor)},
                            {"fill_value", std::move(fill_value)},
                            {"filters", json::Value()},
                            {"zarr_format", json::Value(std::int64_t{2})}};
    // Only these four members are copied. Other members have no meaning in v1, even if v2 defines
    // them.
    for (const char* name : {"chunks", "dtype", "order", "shape"}) {
        ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(document, name));
        translated.emplace_back(name, *member);
    }
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata metadata, ReadArrayMetadata(std::move(translated)));
    metadata.format = Format::kV1;
    return metadata;
}

Status V1IsReadOnly(const std::string& key) {
    return Status::Unsupported(key +
                               ": Zarr v1 is read-only; use gdal_translate -of Zarr to make a copy "
                               "in Zarr v2");
}

}  // namespace zarr
