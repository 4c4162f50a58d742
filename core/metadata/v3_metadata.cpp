// SPDX-License-Identifier: MIT
#include "core/metadata/v3_metadata.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/base/text.h"
#include "core/dtype/v3_types.h"
#include "core/json/value.h"
#include "core/metadata/chunk_grid_v3.h"
#include "core/metadata/fill_meaning.h"
#include "core/metadata/sizes.h"
#include "core/metadata/v3_codecs.h"
#include "core/store/keys.h"

namespace zarr {

namespace {

constexpr std::string_view kAttributes = "attributes";
constexpr std::string_view kConsolidated = "consolidated_metadata";
constexpr std::string_view kDimensionNames = "dimension_names";
constexpr std::string_view kFillValue = "fill_value";
constexpr std::string_view kCodecs = "codecs";
// Attribute with the names of an array's dimensions in Zarr v2. Users see the "dimension_names" of
// Zarr v3 as this attribute, too.
constexpr std::string_view kArrayDimensions = "_ARRAY_DIMENSIONS";

constexpr std::string_view kArrayMembers[] = {
    "zarr_format",        "node_type", "shape", "data_type", "chunk_grid",
    "chunk_key_encoding", kFillValue,  kCodecs, kAttributes, "storage_transformers",
    kDimensionNames};
constexpr std::string_view kGroupMembers[] = {"zarr_format", "node_type", kAttributes,
                                              kConsolidated};

template <std::size_t kSize>
bool IsOneOf(const std::string_view (&names)[kSize], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// Returns the parsed member `name`; null if the member is absent.
Result<json::Value> ParseSlice(const std::vector<json::Slice>& slices, std::string_view name) {
    const auto text = json::FindSlice(slices, name);
    if (!text) return json::Value();
    return json::Parse(*text).WithContext(name);
}

// Parses the members of a JSON object whose names `is_wanted` accepts. Returns these members as an
// object. Other members are not parsed.
template <class Test>
Result<json::Value> ParseMembers(std::string_view text, const Test& is_wanted) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> slices, json::MemberSlices(text));
    json::Object members;
    for (const auto& [name, slice] : slices) {
        if (!is_wanted(name)) continue;
        ZARR_ASSIGN_OR_RETURN(json::Value value, ParseSlice(slices, name));
        json::PutMember(members, name, std::move(value));
    }
    return json::Value(std::move(members));
}

// Returns an error for an unknown member that does not state "must_understand": false (Zarr v3
// specification, "Extension definition").
Status CheckUnderstood(const json::Member& member) {
    const json::Value* const must = member.second.Find("must_understand");
    const bool* const value = must != nullptr ? must->as_bool() : nullptr;
    if (value != nullptr && !*value) return {};
    return Status::Corrupt("unknown member " + Quoted(member.first) +
                           ", which does not state \"must_understand\": false");
}

template <std::size_t kSize>
Status CheckMembers(const json::Object& document, const std::string_view (&known)[kSize]) {
    for (const json::Member& member : document)
        if (!IsOneOf(known, member.first)) ZARR_RETURN_IF_ERROR(CheckUnderstood(member));
    return {};
}

// Returns an optional member; nullptr if it is absent or null. Some programs write null for members
// that they do not have.
const json::Value* OptionalMember(const json::Value& document, std::string_view name) {
    const json::Value* const member = document.Find(name);
    return member != nullptr && !member->is_null() ? member : nullptr;
}

Status CheckAttributes(const json::Value* attributes) {
    if (attributes == nullptr || attributes->as_object() != nullptr) return {};
    return json::Expected(kAttributes, "an object", *attributes);
}

// Returns the name of an extension, which `value` states as an object or as a plain string (Zarr v3
// specification, "Extension definition"). Sets `configuration` to the object's member
// "configuration"; nullptr if absent.
Result<std::string> NameOf(const json::Value& value, std::string_view place,
                           const json::Value*& configuration) {
    configuration = nullptr;
    if (const std::string* text = value.as_string()) return *text;
    if (value.as_object() == nullptr)
        return json::Expected(place, "a name, or an object with a \"name\"", value);
    for (const json::Member& member : *value.as_object())
        if (member.first != "name" && member.first != "configuration" &&
            member.first != "must_understand")
            return Status::Corrupt(std::string(place) + ": unknown member " + Quoted(member.first));
    ZARR_ASSIGN_OR_RETURN(const json::Value* name, json::Require(value, "name").WithContext(place));
    if (name->as_string() == nullptr)
        return json::Expected(std::string(place) + ".name", "a string", *name);
    configuration = value.Find("configuration");
    if (configuration != nullptr && configuration->as_object() == nullptr)
        return json::Expected(std::string(place) + ".configuration", "an object", *configuration);
    return *name->as_string();
}

// Reads "chunk_key_encoding" (Zarr v3 specification, "Chunk key encoding").
Status ReadKeyEncoding(const json::Value& document, ArrayMetadata& metadata) {
    constexpr std::string_view kPlace = "chunk_key_encoding";
    ZARR_ASSIGN_OR_RETURN(const json::Value* encoding, json::Require(document, kPlace));
    const json::Value* configuration = nullptr;
    ZARR_ASSIGN_OR_RETURN(const std::string name, NameOf(*encoding, kPlace, configuration));
    if (name != "default" && name != "v2")
        return Status::Unsupported(std::string(kPlace) + ": unknown encoding " + Quoted(name));
    metadata.has_key_prefix = name == "default";
    metadata.dimension_separator = metadata.has_key_prefix ? '/' : '.';
    metadata.has_separator = true;
    if (configuration == nullptr) return {};
    for (const auto& [member, value] : *configuration->as_object()) {
        const std::string place = std::string(kPlace) + "." + member;
        if (member != "separator")
            return Status::Corrupt(std::string(kPlace) + ": unknown member " + Quoted(member) +
                                   " of the configuration");
        const std::string* const text = value.as_string();
        if (text == nullptr || (*text != "/" && *text != "."))
            return json::Expected(place, R"("/" or ".")", value);
        metadata.dimension_separator = (*text)[0];
    }
    return {};
}

Status ReadGrid(const json::Value& document, ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* given, json::Require(document, "chunk_grid"));
    ZARR_ASSIGN_OR_RETURN(ParsedGrid grid, ParseV3ChunkGrid(*given, metadata.shape));
    metadata.chunks = std::move(grid.chunks);
    metadata.edges = std::move(grid.edges);
    return CheckProduct(metadata.chunks, metadata.dtype.size, "chunk_grid");
}

Status ReadDimensionNames(const json::Value& document, std::size_t rank) {
    const json::Value* const names = document.Find(kDimensionNames);
    if (names == nullptr || names->is_null()) return {};
    const json::Array* const items = names->as_array();
    const auto is_name = [](const json::Value& item) {
        return item.is_null() || item.as_string() != nullptr;
    };
    if (items == nullptr || items->size() != rank ||
        !std::all_of(items->begin(), items->end(), is_name))
        return json::Expected(kDimensionNames,
                              "a list of " + std::to_string(rank) + " strings or nulls", *names);
    return {};
}

Status CheckTransformers(const json::Value& document) {
    const json::Value* const list = OptionalMember(document, "storage_transformers");
    if (list == nullptr) return {};
    if (list->as_array() == nullptr) return json::Expected("storage_transformers", "a list", *list);
    if (list->as_array()->empty()) return {};
    return json::Expected("storage_transformers", "an empty list", *list);
}

// True if "fill_value" is null, which GDAL writes for an array without a nodata value. False for
// data type zarrs.optional, in which null is the missing element.
bool HasNoFillValue(const json::Value& document, const DataType& dtype) {
    const json::Value* const fill = document.Find(kFillValue);
    return fill != nullptr && fill->is_null() && !dtype.missing;
}

// Returns the value of elements in absent chunks; zero if the document has no fill value.
Result<FillValue> ReadFillValue(const DataType& dtype, const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const json::Value* fill, json::Require(document, kFillValue));
    if (!HasNoFillValue(document, dtype)) return ParseV3FillValue(dtype, *fill);
    if (dtype.kind == DataKind::kObject) return FillValue::OfObject({});
    return FillValue({}, dtype.size);
}

// Adds the codec "bytes" to a document without "codecs". GDAL wrote such arrays under drafts of the
// specification. All known arrays of this kind are little-endian.
Status AddAbsentCodecs(json::Value& document, const DataType& dtype) {
    if (document.Find(kCodecs) != nullptr) return {};
    if (dtype.kind == DataKind::kObject) return json::Require(document, kCodecs).status();
    ArraySpec plain;
    plain.dtype = dtype;
    ZARR_ASSIGN_OR_RETURN(json::Value codecs, V3CodecsOf(plain));
    json::PutMember(*document.MutableObject(), kCodecs, std::move(codecs));
    return {};
}

// Sets `type.missing`, the element that stands for missing elements of data type zarrs.optional, to
// the element that one of kNodataAttributes in `attributes` names. Without such an attribute,
// changes nothing.
void ReadMissing(const json::Value* attributes, DataType& type) {
    if (!type.missing || attributes == nullptr) return;
    DataType present = type;
    present.missing.reset();
    for (const std::string_view name : kNodataAttributes) {
        const json::Value* const value = NodataStatement(*attributes, name);
        if (value == nullptr) continue;
        const auto element = ParseV3FillValue(present, *value);
        if (!element.ok()) continue;
        type.missing = element->Bytes();
        return;
    }
}

// Reads the members of an array's `zarr.json`. `missing` stands for missing elements of data type
// zarrs.optional, unless an attribute names an element.
Result<ArrayMetadata> ReadArray(json::Object members,
                                const std::optional<std::string>& missing = std::nullopt) {
    json::Value document(std::move(members));
    ArrayMetadata metadata;
    metadata.format = Format::kV3;
    ZARR_RETURN_IF_ERROR(CheckMembers(*document.as_object(), kArrayMembers));
    const json::Value* const attributes = OptionalMember(document, kAttributes);
    ZARR_RETURN_IF_ERROR(CheckAttributes(attributes));
    ZARR_ASSIGN_OR_RETURN(const json::Value* type, json::Require(document, "data_type"));
    ZARR_ASSIGN_OR_RETURN(metadata.dtype, ParseV3DataType(*type));
    if (missing) metadata.dtype.missing = missing;
    ReadMissing(attributes, metadata.dtype);
    ZARR_ASSIGN_OR_RETURN(metadata.shape, ReadShape(document, metadata.dtype.size));
    ZARR_RETURN_IF_ERROR(ReadGrid(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadKeyEncoding(document, metadata));
    ZARR_RETURN_IF_ERROR(ReadDimensionNames(document, metadata.rank()));
    ZARR_RETURN_IF_ERROR(CheckTransformers(document));
    ZARR_RETURN_IF_ERROR(AddAbsentCodecs(document, metadata.dtype));
    ZARR_RETURN_IF_ERROR(ReadV3Codecs(*document.Find(kCodecs), metadata));
    // The fill value is read after the codecs, because its bytes have the byte order that the
    // codecs state.
    ZARR_ASSIGN_OR_RETURN(metadata.fill_value, ReadFillValue(metadata.dtype, document));
    metadata.has_fill_value = !HasNoFillValue(document, metadata.dtype);
    if (const json::Value* const stored = OptionalMember(document, kAttributes))
        metadata.fill_meaning = StatedFillMeaning(*stored);
    metadata.document = std::move(*document.MutableObject());
    json::EraseMember(metadata.document, kAttributes);
    return metadata;
}

// Writes the attributes `shown`, in the form that users see, to a metadata document. An array's
// attribute `_ARRAY_DIMENSIONS` becomes the member "dimension_names". `rank` is the array's rank
// (nullopt for a group), and `mark` the value of kHasNodataAttribute (null omits that attribute).
void PutAttributes(json::Object& document, const json::Value& shown,
                   std::optional<std::size_t> rank, json::Value mark) {
    json::Object stored;
    const json::Value* names = nullptr;
    for (const json::Member& member : *shown.as_object()) {
        const json::Array* const items = member.second.as_array();
        const bool are_names = rank && member.first == kArrayDimensions && items != nullptr &&
                               items->size() == *rank &&
                               std::all_of(items->begin(), items->end(), [](const auto& item) {
                                   return item.as_string() != nullptr || item.is_null();
                               });
        if (are_names)
            names = &member.second;
        else if (member.first != kHasNodataAttribute)
            stored.push_back(member);
    }
    if (names != nullptr)
        json::PutMember(document, kDimensionNames, *names);
    else
        json::EraseMember(document, kDimensionNames);
    if (!mark.is_null()) stored.emplace_back(kHasNodataAttribute, std::move(mark));
    json::PutMember(document, kAttributes, json::Value(std::move(stored)));
}

Result<json::Object> ParseDocument(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(json::Value document, json::Parse(text));
    if (document.as_object() == nullptr) return json::Expected("", "an object", document);
    return std::move(*document.MutableObject());
}

// Returns the text of a `zarr.json`. In consolidated metadata, each node takes one line. Indenting
// would almost double the size, and opening a large store over a network would be slower.
std::string TextOf(json::Object document) {
    constexpr std::size_t kIndent = 2, kLevelsAboveNodes = 3;
    const json::Value value(std::move(document));
    const json::Value* const consolidated = value.Find(kConsolidated);
    return consolidated == nullptr || consolidated->is_null()
               ? json::DumpIndented(value, kIndent)
               : json::DumpIndented(value, kIndent, kLevelsAboveNodes);
}

std::optional<std::size_t> RankIn(const json::Value& document) {
    const json::Value* const shape = document.Find("shape");
    const json::Array* const sizes = shape != nullptr ? shape->as_array() : nullptr;
    return sizes != nullptr ? std::optional(sizes->size()) : std::nullopt;
}

json::Value KeyEncodingJson(char separator, bool has_prefix) {
    return json::Value(json::Object{
        {"name", json::Value(has_prefix ? "default" : "v2")},
        {"configuration",
         json::Value(json::Object{{"separator", json::Value(std::string(1, separator))}})}});
}

Result<ArrayMetadata> CheckedV3(json::Object document,
                                const std::optional<std::string>& missing = std::nullopt) {
    auto metadata = ReadArray(std::move(document), missing);
    if (!metadata.ok()) return ToInvalidArgument(metadata.status());
    return metadata;
}

Status CheckSizes(const ArraySpec& spec) {
    const std::size_t rank = spec.shape.size();
    if (spec.chunks.size() != rank || (!spec.shard.empty() && spec.shard.size() != rank))
        return Status::Invalid("chunks: expected " + std::to_string(rank) + " sizes");
    for (std::size_t i = 0; i < rank; ++i) {
        if (spec.chunks[i] == 0)
            return Status::Invalid("chunks[" + std::to_string(i) +
                                   "]: expected an integer >= 1, got 0");
        if (!spec.shard.empty() && (spec.shard[i] == 0 || spec.shard[i] % spec.chunks[i] != 0))
            return Status::Invalid("shard size " + std::to_string(spec.shard[i]) +
                                   " along dimension " + std::to_string(i) +
                                   " is not a multiple of the inner chunk size " +
                                   std::to_string(spec.chunks[i]));
    }
    return {};
}

// Returns the fill value of a new array without a requested one: zeros, or an empty text.
Result<json::Value> DefaultFill(const DataType& dtype) {
    return V3FillValueToJson(
        dtype, dtype.kind == DataKind::kObject ? std::string() : std::string(dtype.size, '\0'));
}

}  // namespace

Result<V3NodeType> V3NodeTypeOf(const json::Value& document) {
    if (document.as_object() == nullptr) return json::Expected("", "an object", document);
    for (const std::string_view name : {"zarr_format", "node_type"})
        if (document.Find(name) == nullptr)
            return Status::Corrupt("the compulsory member \"" + std::string(name) +
                                   "\" is missing");
    const json::Value& format = *document.Find("zarr_format");
    std::int64_t version = 0;
    if (!format.is_integer() || !format.GetInt64(version) || version != 3)
        return json::Expected("zarr_format", "3", format);
    const json::Value& type = *document.Find("node_type");
    const std::string* const text = type.as_string();
    if (text == nullptr || (*text != "array" && *text != "group"))
        return json::Expected("node_type", R"("array" or "group")", type);
    return *text == "array" ? V3NodeType::kArray : V3NodeType::kGroup;
}

Result<V3NodeType> V3NodeTypeOf(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value members, ParseMembers(text, [](std::string_view name) {
                              return name == "zarr_format" || name == "node_type";
                          }));
    return V3NodeTypeOf(members);
}

Result<ArrayMetadata> ParseV3Array(const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(document));
    if (type != V3NodeType::kArray)
        return Status::Corrupt(R"(node_type: expected "array", got "group")");
    return ReadArray(*document.as_object());
}

Result<ArrayMetadata> ParseV3Array(std::string_view text) {
    ZARR_RETURN_IF_ERROR(V3NodeTypeOf(text).status());
    ZARR_ASSIGN_OR_RETURN(const json::Value document, json::Parse(text));
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata metadata, ParseV3Array(document));
    metadata.is_of_gdal = IsV3TextOfGdal(text);
    return metadata;
}

bool IsV3TextOfGdal(std::string_view text) {
    // In consolidated metadata the lines begin with more spaces.
    std::string_view rest = text;
    for (const std::string_view part :
         {"{", "\n", "\"zarr_format\":3,", "\n", "\"node_type\":\"array\",", "\n"}) {
        if (part != "\n") rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
        if (rest.substr(0, part.size()) != part) return false;
        rest.remove_prefix(part.size());
    }
    return true;
}

Status CheckV3Group(const json::Value& document) {
    ZARR_ASSIGN_OR_RETURN(const V3NodeType type, V3NodeTypeOf(document));
    if (type != V3NodeType::kGroup)
        return Status::Corrupt(R"(node_type: expected "group", got "array")");
    return CheckMembers(*document.as_object(), kGroupMembers);
}

Status CheckV3Group(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value members, ParseMembers(text, [](std::string_view name) {
                              return name != kAttributes && name != kConsolidated;
                          }));
    return CheckV3Group(members);
}

Result<json::Value> ParseV3Attributes(const json::Value& document) {
    const json::Value* const stored = OptionalMember(document, kAttributes);
    ZARR_RETURN_IF_ERROR(CheckAttributes(stored));
    json::Value attributes = stored != nullptr ? *stored : json::Value(json::Object{});
    if (attributes.Find(kHasNodataAttribute) != nullptr)
        json::EraseMember(*attributes.MutableObject(), kHasNodataAttribute);
    const json::Value* const names = document.Find(kDimensionNames);
    const json::Array* const items = names != nullptr ? names->as_array() : nullptr;
    const bool has_names =
        items != nullptr &&
        std::any_of(items->begin(), items->end(), [](auto& i) { return i.as_string() != nullptr; });
    if (has_names || (items != nullptr && items->empty()))
        json::PutMember(*attributes.MutableObject(), kArrayDimensions, *names);
    return attributes;
}

Result<json::Value> ParseV3Attributes(std::string_view text) {
    ZARR_ASSIGN_OR_RETURN(const json::Value members, ParseMembers(text, [](std::string_view name) {
                              return name == kAttributes || name == kDimensionNames;
                          }));
    return ParseV3Attributes(members);
}

SplitDocument SplitV3Consolidated(std::string_view text) {
    const auto slices = json::MemberSlices(text);
    const auto found = slices.ok() ? json::FindSlice(*slices, kConsolidated) : std::nullopt;
    if (!found || *found == "null") return {std::string(text), {}};
    const auto start = static_cast<std::size_t>(found->data() - text.data());
    std::string own(text.substr(0, start));
    own.append("null").append(text.substr(start + found->size()));
    return {std::move(own), *found};
}

Result<DocumentTexts> ParseV3Consolidated(std::string_view consolidated) {
    ZARR_ASSIGN_OR_RETURN(const std::vector<json::Slice> members,
                          json::MemberSlices(consolidated).WithContext(kConsolidated));
    ZARR_ASSIGN_OR_RETURN(const json::Value kind,
                          ParseSlice(members, "kind").WithContext(kConsolidated));
    const std::string* const name = kind.as_string();
    if (name == nullptr || *name != "inline")
        return json::Expected(std::string(kConsolidated) + ".kind", "\"inline\"", kind);
    const auto entries = json::FindSlice(members, "metadata");
    if (!entries)
        return Status::Corrupt(std::string(kConsolidated) +
                               ": the compulsory member \"metadata\" is missing");
    ZARR_ASSIGN_OR_RETURN(DocumentTexts documents,
                          json::MemberSlices(*entries).WithContext(kConsolidated));
    for (auto& [path, document] : documents) {
        if (!IsValidKey(path))
            return Status::Corrupt(std::string(kConsolidated) + ": " + Quoted(path) +
                                   " is not a valid path");
        path = DocumentKey(path, Document::kGroup, Format::kV3);
    }
    return documents;
}

Result<ArrayMetadata> MakeV3Array(const ArraySpec& spec) {
    ZARR_RETURN_IF_ERROR(CheckSizes(spec));
    ZARR_ASSIGN_OR_RETURN(json::Value type, V3DataTypeToJson(spec.dtype));
    json::Value fill;
    if (spec.fill_value) {
        ZARR_ASSIGN_OR_RETURN(fill, V3FillValueToJson(spec.dtype, *spec.fill_value));
    } else {
        ZARR_ASSIGN_OR_RETURN(fill, DefaultFill(spec.dtype));
    }
    ZARR_ASSIGN_OR_RETURN(json::Value codecs, V3CodecsOf(spec));
    ZARR_ASSIGN_OR_RETURN(
        ArrayMetadata metadata,
        CheckedV3(json::Object{
            {"chunk_grid", V3ChunkGridToJson(spec.shard.empty() ? spec.chunks : spec.shard, {})},
            {"chunk_key_encoding", KeyEncodingJson(spec.dimension_separator, spec.has_key_prefix)},
            {std::string(kCodecs), std::move(codecs)},
            {"data_type", std::move(type)},
            {std::string(kFillValue), std::move(fill)},
            {"node_type", json::Value("array")},
            {"shape", SizesToJson(spec.shape)},
            {"zarr_format", json::Value(std::int64_t{3})},
        }));
    if (!spec.fill_value) metadata.fill_meaning = FillMeaning::kData;
    return metadata;
}

std::string V3ArrayText(const ArrayMetadata& metadata, const json::Value& attributes) {
    json::Object document = metadata.document;
    PutAttributes(
        document, attributes, metadata.rank(),
        FillMeaningAttribute(metadata, attributes, FillMeansMissing(metadata, attributes)));
    return TextOf(std::move(document));
}

std::string V3GroupText() {
    return TextOf({{kAttributes.data(), json::Value(json::Object{})},
                   {"node_type", json::Value("group")},
                   {"zarr_format", json::Value(std::int64_t{3})}});
}

Result<std::string> WithV3Attributes(std::string_view text, const json::Value& attributes) {
    ZARR_ASSIGN_OR_RETURN(json::Object document, ParseDocument(text));
    const json::Value whole(document);
    const json::Value* const stored = OptionalMember(whole, kAttributes);
    const json::Value* const stored_mark =
        stored != nullptr ? stored->Find(kHasNodataAttribute) : nullptr;
    json::Value mark = stored_mark != nullptr ? *stored_mark : json::Value();
    // The new attributes could change whether the fill value means missing data. For an array,
    // kHasNodataAttribute therefore states the old meaning. A group has no fill value.
    if (const auto metadata = ParseV3Array(text); metadata.ok()) {
        const bool is_missing =
            FillMeansMissing(*metadata, stored != nullptr ? *stored : json::Value());
        mark = FillMeaningAttribute(*metadata, attributes, is_missing);
    }
    PutAttributes(document, attributes, RankIn(whole), std::move(mark));
    return TextOf(std::move(document));
}

Result<std::string> WithV3Array(std::string_view text, const ArrayMetadata& metadata) {
    ZARR_ASSIGN_OR_RETURN(json::Object document, ParseDocument(text));
    ZARR_ASSIGN_OR_RETURN(const json::Value attributes, ParseV3Attributes(text));
    for (const json::Member& member : metadata.document)
        if (member.first != kDimensionNames) json::PutMember(document, member.first, member.second);
    PutAttributes(
        document, attributes, metadata.rank(),
        FillMeaningAttribute(metadata, attributes, FillMeansMissing(metadata, attributes)));
    return TextOf(std::move(document));
}

bool HasV3Consolidated(std::string_view text) {
    const auto slices = json::MemberSlices(text);
    const auto found = slices.ok() ? json::FindSlice(*slices, kConsolidated) : std::nullopt;
    return found && *found != "null";
}

Result<std::string> WithV3Consolidated(std::string_view text,
                                       std::optional<json::Object> documents) {
    ZARR_ASSIGN_OR_RETURN(json::Object document, ParseDocument(text));
    json::EraseMember(document, kConsolidated);
    if (documents)
        document.emplace_back(kConsolidated, json::Value(json::Object{
                                                 {"kind", json::Value("inline")},
                                                 {"metadata", json::Value(std::move(*documents))},
                                                 {"must_understand", json::Value(false)}}));
    return TextOf(std::move(document));
}

Result<ArrayMetadata> WithV3Shape(const ArrayMetadata& metadata,
                                  const std::vector<std::uint64_t>& shape) {
    json::Object document = metadata.document;
    ZARR_RETURN_IF_ERROR(ToInvalidArgument(CheckProduct(shape, metadata.dtype.size, "shape")));
    json::Value* const member = json::FindMember(document, "chunk_grid");
    if (member != nullptr && !ParseV3ChunkGrid(*member, shape).ok()) {
        // A rectilinear grid has no chunks beyond the array's old edge, so chunks are added for a
        // larger shape.
        ZARR_ASSIGN_OR_RETURN(const ParsedGrid grid,
                              WithShape({metadata.stored_chunks(), metadata.edges}, shape));
        *member = V3ChunkGridToJson(grid.chunks, grid.edges);
    }
    json::PutMember(document, "shape", SizesToJson(shape));
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata changed,
                          CheckedV3(std::move(document), metadata.dtype.missing));
    changed.fill_meaning = metadata.fill_meaning;
    changed.is_of_gdal = metadata.is_of_gdal;
    return changed;
}

Result<ArrayMetadata> WithV3FillValue(const ArrayMetadata& metadata,
                                      const std::optional<std::string>& element) {
    ArrayMetadata changed = metadata;
    changed.fill_meaning = element ? FillMeaning::kNodata : FillMeaning::kData;
    // Without `element`, the document keeps its fill value, so that absent chunks keep their
    // values.
    if (!element) return changed;
    changed.has_fill_value = true;
    ZARR_ASSIGN_OR_RETURN(json::Value fill, V3FillValueToJson(metadata.dtype, *element));
    ZARR_ASSIGN_OR_RETURN(changed.fill_value, ParseV3FillValue(metadata.dtype, fill));
    json::PutMember(changed.document, kFillValue, std::move(fill));
    return changed;
}

namespace {

// Changes "chunk_shape" of each sharding codec in `codecs`. `shapes[i]` is the shape of the inner
// chunks in shards of `metadata.shards[i]`, in the order of the array's dimensions.
void PutChunkShapes(json::Value& codecs, const ArrayMetadata& metadata,
                    const std::vector<std::vector<std::uint64_t>>& shapes, std::size_t level) {
    for (json::Value& codec : *codecs.MutableArray()) {
        const json::Value* const name = codec.Find("name");
        if (name == nullptr || name->as_string() == nullptr ||
            *name->as_string() != "sharding_indexed")
            continue;
        json::Object& configuration =
            *json::FindMember(*codec.MutableObject(), "configuration")->MutableObject();
        json::Array sizes;
        for (std::size_t i = 0; i < metadata.rank(); ++i)
            sizes.emplace_back(shapes[level][metadata.shards[level].order.At(i, metadata.rank())]);
        json::PutMember(configuration, "chunk_shape", json::Value(std::move(sizes)));
        PutChunkShapes(*json::FindMember(configuration, kCodecs), metadata, shapes, level + 1);
    }
}

// Replaces the sharding codec in `codecs` by the codecs of its inner chunks, so that the array has
// no shards.
void UseCodecsOfChunks(json::Value& codecs) {
    json::Array chain;
    for (json::Value& codec : *codecs.MutableArray()) {
        const std::string* const name =
            codec.Find("name") != nullptr ? codec.Find("name")->as_string() : nullptr;
        if (name == nullptr || *name != "sharding_indexed") {
            chain.push_back(std::move(codec));
            continue;
        }
        json::Object& configuration =
            *json::FindMember(*codec.MutableObject(), "configuration")->MutableObject();
        json::Array& inner = *json::FindMember(configuration, kCodecs)->MutableArray();
        std::move(inner.begin(), inner.end(), std::back_inserter(chain));
    }
    codecs = json::Value(std::move(chain));
}

}  // namespace

Result<ArrayMetadata> WithV3Grid(const ArrayMetadata& metadata,
                                 const std::vector<std::uint64_t>& shape,
                                 const std::vector<std::uint64_t>& chunks, char separator) {
    json::Object document;
    for (const json::Member& member : metadata.document)
        if (IsOneOf(kArrayMembers, member.first) && member.first != kDimensionNames)
            document.push_back(member);
    // Along each dimension, a shard of the new array has as many chunks as a shard of the old
    // array. The maximum is the number of chunks of the new array.
    std::vector<std::vector<std::uint64_t>> shapes;
    for (std::size_t level = metadata.shards.size(); level-- > 0;) {
        const auto& inner =
            level + 1 < metadata.shards.size() ? metadata.shards[level + 1].shape : metadata.chunks;
        const auto& below = shapes.empty() ? chunks : shapes.front();
        std::vector<std::uint64_t> shard(shape.size());
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::uint64_t most = std::max<std::uint64_t>(
                1, shape[i] / below[i] + (shape[i] % below[i] != 0 ? 1 : 0));
            shard[i] = below[i] * std::min(metadata.shards[level].shape[i] / inner[i], most);
        }
        shapes.insert(shapes.begin(), std::move(shard));
    }
    json::PutMember(document, "shape", SizesToJson(shape));
    json::PutMember(document, "chunk_grid",
                    V3ChunkGridToJson(shapes.empty() ? chunks : shapes.front(), {}));
    json::PutMember(document, "chunk_key_encoding",
                    KeyEncodingJson(separator, metadata.has_key_prefix));
    const bool was_shard =
        metadata.shards.size() == 1 && metadata.shards.front().shape != metadata.chunks;
    if (was_shard && shapes.front() == chunks && metadata.shards.front().codecs.empty()) {
        // A shard with a single chunk would only add an index, which takes a request to read.
        UseCodecsOfChunks(*json::FindMember(document, kCodecs));
    } else if (!shapes.empty()) {
        shapes.erase(shapes.begin());
        shapes.push_back(chunks);
        PutChunkShapes(*json::FindMember(document, kCodecs), metadata, shapes, 0);
    }
    ZARR_ASSIGN_OR_RETURN(ArrayMetadata changed,
                          CheckedV3(std::move(document), metadata.dtype.missing));
    changed.fill_meaning = metadata.fill_meaning;
    changed.is_of_gdal = metadata.is_of_gdal;
    return changed;
}

}  // namespace zarr
