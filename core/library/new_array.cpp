// SPDX-License-Identifier: MIT
#include "core/library/new_array.h"

#include <algorithm>
#include <utility>

#include "core/array/array.h"
#include "core/codec/codec_spec.h"
#include "core/dtype/fill_value.h"
#include "core/dtype/v3_types.h"
#include "core/grid/chunk_grid.h"
#include "core/library/internal.h"

namespace zarr_core {

namespace json = zarr::json;

namespace {

constexpr std::int64_t kZstdLevel = 3;

// Returns the default codecs: zstd, after vlen-utf8 or vlen-bytes for elements of variable length.
std::vector<zarr::CodecSpec> DefaultCodecs(const zarr::DataType& type) {
    std::vector<zarr::CodecSpec> codecs;
    if (type.kind == zarr::DataKind::kObject) {
        const bool is_bytes = type.object_kind == zarr::ObjectKind::kBytes;
        codecs.push_back({is_bytes ? "vlen-bytes" : "vlen-utf8", json::Value(json::Object{}),
                          "codecs", zarr::CodecNames::kNumcodecs});
    }
    codecs.push_back({"zstd", json::Value(json::Object{{"level", json::Value(kZstdLevel)}}),
                      "codecs", zarr::CodecNames::kNumcodecs});
    return codecs;
}

zarr::Result<std::vector<zarr::CodecSpec>> ParseV3List(const json::Value& list) {
    const json::Array* const items = list.as_array();
    if (items == nullptr) return json::Expected("codecs", "an array", list);
    std::vector<zarr::CodecSpec> codecs;
    for (std::size_t i = 0; i < items->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(zarr::CodecSpec codec,
                              zarr::ParseV3Codec((*items)[i], "codecs[" + std::to_string(i) + "]"));
        codecs.push_back(std::move(codec));
    }
    return codecs;
}

zarr::Result<std::vector<zarr::CodecSpec>> ParseV2Pair(const json::Value& pair) {
    if (pair.as_object() == nullptr) return json::Expected("codecs", "an object", pair);
    for (const json::Member& member : *pair.as_object())
        if (member.first != "filters" && member.first != "compressor")
            return zarr::Status::Invalid("codecs: unknown member \"" + member.first + "\"");
    const json::Value none{};
    const json::Value* const filters = pair.Find("filters");
    const json::Value* const compressor = pair.Find("compressor");
    return zarr::ParseNumcodecs(filters != nullptr ? *filters : none,
                                compressor != nullptr ? *compressor : none);
}

zarr::Result<std::vector<zarr::CodecSpec>> CodecsOf(zarr::Format format,
                                                    const ArrayOptions& options,
                                                    const zarr::DataType& type) {
    if (options.codecs.empty()) return DefaultCodecs(type);
    ZARR_ASSIGN_OR_RETURN(const json::Value value,
                          json::Parse(options.codecs).WithContext("codecs"));
    return format == zarr::Format::kV3 ? ParseV3List(value) : ParseV2Pair(value);
}

// Returns the option `fill_value` as one element in the host's byte order. Returns nullopt if the
// option is empty, or is null in Zarr v1 or v2.
zarr::Result<std::optional<std::string>> FillOf(zarr::Format format, const ArrayOptions& options,
                                                const zarr::DataType& type) {
    std::optional<std::string> element;
    if (options.fill_value.empty()) return element;
    ZARR_ASSIGN_OR_RETURN(const json::Value value,
                          json::Parse(options.fill_value).WithContext("fill_value"));
    if (value.is_null() && format != zarr::Format::kV3) return element;
    ZARR_ASSIGN_OR_RETURN(const zarr::FillValue fill, format == zarr::Format::kV3
                                                          ? zarr::ParseV3FillValue(type, value)
                                                          : zarr::ParseFillValue(type, value));
    element = type.kind == zarr::DataKind::kObject ? fill.TrimmedBytes() : fill.Bytes();
    return element;
}

zarr::Status AddDimensions(zarr::Format format, const ArrayOptions& options,
                           json::Object& attributes) {
    const std::vector<std::string>& names = options.dimension_names;
    if (names.empty()) return {};
    if (names.size() != options.shape.size())
        return zarr::Status::Invalid("dimension_names: " + std::to_string(names.size()) +
                                     " names, but the shape has " +
                                     std::to_string(options.shape.size()) + " dimensions");
    json::Array list;
    for (const std::string& name : names) {
        if (name.empty() && format != zarr::Format::kV3)
            return zarr::Status::Invalid("dimension_names: names must not be empty in Zarr v2");
        list.push_back(name.empty() ? json::Value() : json::Value(name));
    }
    json::PutMember(attributes, kDimensionsAttribute, json::Value(std::move(list)));
    return {};
}

zarr::Result<zarr::ArraySpec> SpecOf(zarr::Format format, const ArrayOptions& options) {
    zarr::ArraySpec spec;
    spec.format = format;
    spec.shape = options.shape;
    spec.dtype = options.data_type.impl().type;
    spec.chunks = options.chunk_shape;
    if (spec.chunks.empty()) spec.chunks = zarr::DefaultChunks(spec.shape, spec.dtype.size);
    if (!options.shard_shape.empty() && format != zarr::Format::kV3)
        return zarr::Status::Invalid("shard_shape: Zarr v2 has no shards");
    spec.shard = options.shard_shape;
    spec.dimension_separator = format == zarr::Format::kV3 ? '/' : '.';
    spec.has_key_prefix = format == zarr::Format::kV3;
    ZARR_ASSIGN_OR_RETURN(spec.fill_value, FillOf(format, options, spec.dtype));
    ZARR_ASSIGN_OR_RETURN(spec.codecs, CodecsOf(format, options, spec.dtype));
    return spec;
}

}  // namespace

zarr::Result<json::Value> ParseObject(std::string_view text, std::string_view what) {
    if (text.empty()) return json::Value(json::Object{});
    auto value = json::Parse(text);
    if (!value.ok()) return ToInvalidArgument(value.status(), what);
    if (value->as_object() == nullptr)
        return ToInvalidArgument(json::Expected(what, "an object", *value), {});
    return value;
}

zarr::Result<NewArray> MakeNewArray(zarr::Format format, const ArrayOptions& options) {
    const auto spec = SpecOf(format, options);
    if (!spec.ok()) return ToInvalidArgument(spec.status(), {});
    auto metadata = zarr::MakeArrayMetadata(*spec);
    if (!metadata.ok()) return ToInvalidArgument(metadata.status(), {});
    ZARR_RETURN_IF_ERROR(ToInvalidArgument(zarr::Array::CheckCodecs(*metadata), {}));
    ZARR_RETURN_IF_ERROR(ToInvalidArgument(zarr::Array::CheckWritable(*metadata), {}));
    ZARR_ASSIGN_OR_RETURN(json::Value attributes, ParseObject(options.attributes, "attributes"));
    NewArray made{metadata.Take(), std::move(*attributes.MutableObject())};
    ZARR_RETURN_IF_ERROR(AddDimensions(format, options, made.attributes));
    return made;
}

}  // namespace zarr_core
