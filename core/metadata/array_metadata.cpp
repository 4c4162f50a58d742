// SPDX-License-Identifier: MIT
#include "core/metadata/array_metadata.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "core/codec/registry.h"
#include "core/metadata/v2_metadata.h"
#include "core/metadata/v3_metadata.h"

namespace zarr {

namespace {

const json::Value* FindStored(const ArrayMetadata& metadata, std::string_view name) {
    for (const json::Member& member : metadata.document)
        if (member.first == name) return &member.second;
    return nullptr;
}

bool IsV3(const ArrayMetadata& metadata) { return metadata.format == Format::kV3; }

json::Value V3CodecJson(const CodecSpec& codec) {
    json::Object members{{"name", json::Value(codec.name)}};
    const json::Object* const configuration = codec.configuration.as_object();
    if (configuration != nullptr && !configuration->empty())
        members.emplace_back("configuration", codec.configuration);
    return json::Value(std::move(members));
}

// True if codecs `a` and `b` have equal names and no option with two different values. An option in
// only one codec is ignored, because newer programs add options when they consolidate metadata.
bool Agree(const CodecSpec& a, const CodecSpec& b) {
    const json::Object* options = a.configuration.as_object();
    if (a.name != b.name || options == nullptr) return a.name == b.name;
    return std::all_of(options->begin(), options->end(), [&](const json::Member& option) {
        const json::Value* other = b.configuration.Find(option.first);
        return other == nullptr || json::Equals(*other, option.second);
    });
}

bool AllAgree(const std::vector<CodecSpec>& a, const std::vector<CodecSpec>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), Agree);
}

bool HaveEqualShards(const Sharding& a, const Sharding& b) {
    return a.shape == b.shape && a.order == b.order && a.index_at_end == b.index_at_end &&
           AllAgree(a.index_codecs, b.index_codecs) && AllAgree(a.codecs, b.codecs);
}

// True if equal bytes of a chunk have equal elements, under equal keys, and absent chunks have
// equal elements.
bool DecodeAlike(const ArrayMetadata& a, const ArrayMetadata& b) {
    return a.format == b.format && a.chunks == b.chunks && a.axis_order == b.axis_order &&
           std::equal(a.shards.begin(), a.shards.end(), b.shards.begin(), b.shards.end(),
                      HaveEqualShards) &&
           a.dimension_separator == b.dimension_separator && a.has_key_prefix == b.has_key_prefix &&
           a.dtype.ToString() == b.dtype.ToString() &&
           a.fill_value.TrimmedBytes() == b.fill_value.TrimmedBytes() &&
           AllAgree(a.codecs, b.codecs);
}

}  // namespace

bool SameMetadata(const ArrayMetadata& a, const ArrayMetadata& b) {
    return a.format == b.format && a.has_fill_value == b.has_fill_value &&
           a.fill_meaning == b.fill_meaning && a.dtype.missing == b.dtype.missing &&
           MetadataText(a) == MetadataText(b);
}

bool StoreEqualChunks(const ArrayMetadata& a, const ArrayMetadata& b) {
    return a.shape == b.shape && a.edges == b.edges && DecodeAlike(a, b) &&
           a.dtype.missing == b.dtype.missing && a.has_fill_value == b.has_fill_value &&
           a.fill_meaning == b.fill_meaning;
}

bool HasChunksOf(const ArrayMetadata& stored, const ArrayMetadata& opened) {
    const auto begins_with = [](const auto& longer, const auto& shorter) {
        return longer.size() >= shorter.size() &&
               std::equal(shorter.begin(), shorter.end(), longer.begin());
    };
    return stored.rank() == opened.rank() &&
           std::equal(stored.shape.begin(), stored.shape.end(), opened.shape.begin(),
                      std::greater_equal<>()) &&
           std::equal(stored.edges.begin(), stored.edges.end(), opened.edges.begin(),
                      opened.edges.end(), begins_with) &&
           DecodeAlike(stored, opened);
}

std::string MetadataText(const ArrayMetadata& metadata) {
    std::string text = json::DumpSorted(json::Value(metadata.document));
    // An attribute may define which element stands for missing data. This element is appended,
    // because `document` does not contain the attributes.
    if (metadata.dtype.missing) text += " " + *metadata.dtype.missing;
    return text;
}

Result<ArrayMetadata> MakeArrayMetadata(const ArraySpec& spec) {
    return spec.format == Format::kV3 ? MakeV3Array(spec) : MakeV2Array(spec);
}

Result<ArrayMetadata> WithShape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape) {
    if (shape.size() != metadata.rank())
        return Status::Invalid("shape: expected " + std::to_string(metadata.rank()) +
                               " sizes, got " + std::to_string(shape.size()));
    // An equal shape must not change the document, because NCZarr stores a scalar with the shape
    // [1].
    if (shape == metadata.shape) return metadata;
    return IsV3(metadata) ? WithV3Shape(metadata, shape) : WithV2Shape(metadata, std::move(shape));
}

Result<ArrayMetadata> WithFillValue(const ArrayMetadata& metadata,
                                    const std::optional<std::string>& element) {
    return IsV3(metadata) ? WithV3FillValue(metadata, element) : WithV2FillValue(metadata, element);
}

bool FillValueMustFollow(const ArrayMetadata& metadata, const std::string& element) {
    if (IsV3(metadata) || !metadata.has_fill_value) return false;
    const FillValue& fill = metadata.fill_value;
    return element !=
           (metadata.dtype.kind == DataKind::kObject ? fill.TrimmedBytes() : fill.Bytes());
}

bool NeedsChunkSize(const ArrayMetadata& metadata) {
    return std::any_of(metadata.codecs.begin(), metadata.codecs.end(), [&](const CodecSpec& codec) {
        const json::Value* const size = codec.configuration.Find("elementsize");
        std::uint64_t bytes = 0;
        return size != nullptr && size->GetUint64(bytes) && bytes > metadata.dtype.size;
    });
}

Result<ArrayMetadata> WithGrid(const ArrayMetadata& metadata,
                               const std::vector<std::uint64_t>& shape,
                               const std::vector<std::uint64_t>& chunks, char separator) {
    return IsV3(metadata) ? WithV3Grid(metadata, shape, chunks, separator)
                          : WithV2Grid(metadata, shape, chunks, separator);
}

std::string FillValueText(const ArrayMetadata& metadata) {
    const json::Value* fill = FindStored(metadata, "fill_value");
    return fill != nullptr ? json::Dump(*fill) : "null";
}

std::string CompressorText(const ArrayMetadata& metadata) {
    if (IsV3(metadata)) {
        const auto compressor =
            std::find_if(metadata.codecs.rbegin(), metadata.codecs.rend(), IsCompressor);
        return compressor != metadata.codecs.rend() ? json::Dump(V3CodecJson(*compressor)) : "";
    }
    const json::Value* compressor = FindStored(metadata, "compressor");
    return compressor != nullptr && !compressor->is_null() ? json::Dump(*compressor) : "";
}

std::string FiltersText(const ArrayMetadata& metadata) {
    if (IsV3(metadata)) {
        const auto compressor =
            std::find_if(metadata.codecs.rbegin(), metadata.codecs.rend(), IsCompressor);
        json::Array others;
        for (const CodecSpec& codec : metadata.codecs)
            if (compressor == metadata.codecs.rend() || &codec != &*compressor)
                others.push_back(V3CodecJson(codec));
        return others.empty() ? "" : json::Dump(json::Value(std::move(others)));
    }
    const json::Value* filters = FindStored(metadata, "filters");
    const json::Array* items = filters != nullptr ? filters->as_array() : nullptr;
    return items != nullptr && !items->empty() ? json::Dump(*filters) : "";
}

std::string CodecsText(const ArrayMetadata& metadata) {
    json::Object pair;
    for (const char* const name : {"codecs", "filters", "compressor"}) {
        const json::Value* const stored = FindStored(metadata, name);
        if (IsV3(metadata)) return stored != nullptr ? json::Dump(*stored) : "[]";
        if (name != std::string_view("codecs"))
            pair.emplace_back(name, stored != nullptr ? *stored : json::Value());
    }
    return json::Dump(json::Value(std::move(pair)));
}

}  // namespace zarr
