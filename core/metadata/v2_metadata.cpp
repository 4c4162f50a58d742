// SPDX-License-Identifier: MIT
#include "core/metadata/v2_metadata.h"

#include <algorithm>

#include "core/codec/registry.h"
#include "core/dtype/fill_value.h"
#include "core/json/value.h"
#include "core/metadata/dialects.h"
#include "core/metadata/sizes.h"

namespace zarr {

namespace {

constexpr std::string_view kDefined[] = {"chunks", "compressor", "dimension_separator",
                                         "dtype",  "fill_value", "filters",
                                         "order",  "shape",      "zarr_format"};

Status CheckFormat(const json::Value& document) {
    if (document.as_object() == nullptr) return json::Expected("", "an object", document);
    ZARR_ASSIGN_OR_RETURN(const json::Value* member, json::Require(document, "zarr_format"));
    std::int64_t version = 0;
    if (!member->GetInt64(version) || version != 2)
        return json::Expected("zarr_format", "2", *member);
    return {};
}

Status ReadChunks(const json::Value& document, ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* chunks, json::Require(document, "chunks"));
    ZARR_ASSIGN_OR_RETURN(metadata.chunks, json::UintsAtLeast(*chunks, 0, "chunks"));
    if (metadata.chunks.size() != metadata.rank())
        return Status::Corrupt("chunks: has " + std::to_string(metadata.chunks.size()) +
                               " sizes for the " + std::to_string(metadata.rank()) +
                               " dimensions of shape");
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        if (metadata.chunks[i] != 0) continue;
        // A chunk size of 0 is accepted in an empty dimension, where any size is equivalent.
        // zarr-python writes the array's shape as the chunk shape of an unchunked array.
        if (metadata.shape[i] != 0)
            return json::Expected("chunks[" + std::to_string(i) + "]", "an integer >= 1",
                                  json::Value(std::uint64_t{0}));
        metadata.chunks[i] = 1;
    }
    return CheckProduct(metadata.chunks, metadata.dtype.size, "chunks");
}

Status ReadOrder(const json::Value& document, ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* order, json::Require(document, "order"));
    const std::string* text = order->as_string();
    if (text == nullptr || (*text != "C" && *text != "F"))
        return json::Expected("order", "\"C\" or \"F\"", *order);
    metadata.axis_order = AxisOrder(*text == "F");
    return {};
}

Status ReadSeparator(const json::Value& document, ArrayMetadata& metadata) {
    const json::Value* separator = document.Find("dimension_separator");
    if (separator == nullptr || separator->is_null()) return {};
    const std::string* text = separator->as_string();
    if (text == nullptr || (*text != "." && *text != "/"))
        return json::Expected("dimension_separator", "\".\" or \"/\"", *separator);
    metadata.dimension_separator = (*text)[0];
    metadata.has_separator = true;
    return {};
}

Status SetFillValue(const json::Value& fill, ArrayMetadata& metadata) {
    metadata.has_fill_value = !fill.is_null();
    if (metadata.has_fill_value) {
        ZARR_ASSIGN_OR_RETURN(metadata.fill_value, ParseFillValue(metadata.dtype, fill));
    } else if (metadata.dtype.kind != DataKind::kObject) {
        metadata.fill_value = FillValue({}, metadata.dtype.size);
    }
    return {};
}

Status ReadFillValue(const json::Value& document, ArrayMetadata& metadata) {
    const json::Value* fill = document.Find("fill_value");
    metadata.is_fill_value_missing = fill == nullptr;
    // netCDF-C 4.8.0 writes a list of one number.
    const json::Array* const items = fill != nullptr ? fill->as_array() : nullptr;
    if (items != nullptr && items->size() == 1 && metadata.dtype.is_numeric())
        fill = &items->front();
    return SetFillValue(fill != nullptr ? *fill : json::Value(), metadata);
}

Status ReadCodecs(const json::Value& document, ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* compressor, json::Require(document, "compressor"));
    ZARR_ASSIGN_OR_RETURN(const json::Value* filters, json::Require(document, "filters"));
    ZARR_ASSIGN_OR_RETURN(metadata.codecs, ParseNumcodecs(*filters, *compressor));
    return {};
}

// Returns the extension that NCZarr adds to the array's metadata; nullopt if the extension is
// absent or does not affect the array's meaning.
std::optional<json::Value> FindNczarr(const json::Value& document,
                                      const AttributesSource& attributes) {
    if (!IsAmbiguous(document)) return std::nullopt;
    if (const json::Value* extension = NczarrExtension(document)) return *extension;
    if (!attributes) return std::nullopt;
    const json::Value asked = attributes();
    const json::Value* extension = NczarrExtension(asked);
    return extension != nullptr ? std::optional(*extension) : std::nullopt;
}

// Checks rules that apply only to new arrays; readers accept arrays that break them.
Status CheckStricter(const ArraySpec& spec) {
    for (std::size_t i = 0; i < spec.chunks.size(); ++i)
        if (spec.chunks[i] == 0)
            return Status::Invalid("chunks[" + std::to_string(i) + "]: expected an integer >= 1, " +
                                   "got 0");
    if (spec.dtype.kind == DataKind::kObject && spec.codecs.empty())
        return Status::Invalid("filters: dtype |O requires an object codec, such as vlen-utf8");
    return {};
}

// Validates a new `.zarray` document and returns its metadata.
Result<ArrayMetadata> Checked(json::Object document) {
    auto metadata = ReadArrayMetadata(std::move(document));
    if (!metadata.ok()) return ToInvalidArgument(metadata.status());
    return metadata;
}

}  // namespace

Result<ArrayMetadata> ParseArrayMetadata(std::string_view text,
                                         const AttributesSource& attributes) {
    ZARR_ASSIGN_OR_RETURN(const json::Value document, json::Parse(text));
    return ParseArrayMetadata(document, attributes);
}

Result<ArrayMetadata> ParseArrayMetadata(const json::Value& document,
                                         const AttributesSource& attributes) {
    if (document.as_object() == nullptr) return json::Expected("", "an object", document);
    return ReadArrayMetadata(*document.as_object(), attributes);
}

Result<ArrayMetadata> ReadArrayMetadata(json::Object members, const AttributesSource& attributes) {
    json::Value written(std::move(members));
    ZARR_RETURN_IF_ERROR(CheckFormat(written));
    json::Value adapted;
    ArrayMetadata metadata;
    if (const auto extension = FindNczarr(written, attributes)) {
        NczarrForm form = ToSpecification(written, *extension);
        adapted = std::move(form.document);
        metadata.has_characters = form.has_characters;
    } else if (IsTextStoredAsObjects(written)) {
        ZARR_ASSIGN_OR_RETURN(metadata.text_type, ParseDataType(*written.Find("dtype")));
        adapted = AsObjects(written);
    }
    const json::Value& document = adapted.is_null() ? written : adapted;
    ZARR_ASSIGN_OR_RETURN(const json::Value* dtype, json::Require(document, "dtype"));
    ZARR_ASSIGN_OR_RETURN(metadata.dtype, ParseDataType(*dtype));
    ZARR_ASSIGN_OR_RETURN(metadata.shape, ReadShape(document, metadata.dtype.size));
    ZARR_RETURN_IF_ERROR(ReadChunks(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadOrder(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadSeparator(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadFillValue(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadCodecs(document, metadata));
    metadata.document = std::move(*written.MutableObject());
    return metadata;
}

std::string ArrayText(const ArrayMetadata& metadata) {
    return json::DumpIndented(json::Value(metadata.document));
}

void AddUndefined(const json::Object& members, ArrayMetadata& metadata) {
    for (const json::Member& member : members) {
        const bool is_defined =
            std::find(std::begin(kDefined), std::end(kDefined), member.first) != std::end(kDefined);
        if (!is_defined && json::FindMember(metadata.document, member.first) == nullptr)
            metadata.document.push_back(member);
    }
}

Status CheckGroupMetadata(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value document, json::Parse(text));
    return CheckGroupMetadata(document);
}

Status CheckGroupMetadata(const json::Value& document) { return CheckFormat(document); }

Result<json::Value> ParseAttributes(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(json::Value document, json::Parse(text));
    return ParseAttributes(std::move(document));
}

Result<json::Value> ParseAttributes(json::Value document) {
    if (document.as_object() == nullptr) return json::Expected("", "an object", document);
    RestoreHiddenAttributes(document);
    return document;
}

std::string GroupText() {
    return json::DumpIndented(
        json::Value(json::Object{{"zarr_format", json::Value(std::int64_t{2})}}));
}

Result<ArrayMetadata> MakeV2Array(const ArraySpec& spec) {
    ZARR_RETURN_IF_ERROR(CheckStricter(spec));
    json::Value fill;
    if (spec.fill_value) {
        ZARR_ASSIGN_OR_RETURN(fill, FillValueToJson(spec.dtype, *spec.fill_value));
    }
    const bool has_compressor = !spec.codecs.empty() && IsCompressor(spec.codecs.back());
    json::Array filters;
    for (const CodecSpec& codec : spec.codecs) filters.push_back(NumcodecsToJson(codec));
    json::Value compressor;
    if (has_compressor) {
        compressor = std::move(filters.back());
        filters.pop_back();
    }
    return Checked(json::Object{
        {"chunks", SizesToJson(spec.chunks)},
        {"compressor", std::move(compressor)},
        {"dimension_separator", json::Value(std::string(1, spec.dimension_separator))},
        {"dtype", DataTypeToJson(spec.dtype)},
        {"fill_value", std::move(fill)},
        {"filters", filters.empty() ? json::Value() : json::Value(std::move(filters))},
        {"order", json::Value(spec.fortran_order ? "F" : "C")},
        {"shape", SizesToJson(spec.shape)},
        {"zarr_format", json::Value(std::int64_t{2})},
    });
}

Result<ArrayMetadata> WithV2Shape(const ArrayMetadata& metadata, std::vector<std::uint64_t> shape) {
    ArrayMetadata changed = metadata;
    changed.shape = std::move(shape);
    ZARR_RETURN_IF_ERROR(
        ToInvalidArgument(CheckProduct(changed.shape, changed.dtype.size, "shape")));
    json::PutMember(changed.document, "shape", SizesToJson(changed.shape));
    return changed;
}

Result<ArrayMetadata> WithV2FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element) {
    ArrayMetadata changed = metadata;
    json::Value fill;
    if (element) {
        ZARR_ASSIGN_OR_RETURN(fill, FillValueToJson(metadata.dtype, *element));
    }
    ZARR_RETURN_IF_ERROR(SetFillValue(fill, changed));
    json::PutMember(changed.document, "fill_value", std::move(fill));
    return changed;
}

Result<ArrayMetadata> WithV2Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator) {
    json::Object document = metadata.document;
    document.erase(std::remove_if(document.begin(), document.end(),
                                  [](const json::Member& m) { return IsNczarrName(m.first); }),
                   document.end());
    json::PutMember(document, "shape", SizesToJson(shape));
    json::PutMember(document, "chunks", SizesToJson(chunks));
    json::PutMember(document, "dimension_separator", json::Value(std::string(1, separator)));
    return Checked(std::move(document));
}

}  // namespace zarr
