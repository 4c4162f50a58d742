// SPDX-License-Identifier: MIT
#include "driver/base/metadata_text.h"

#include <cpl_string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/checked.h"
#include "core/codec/registry.h"
#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/fingerprint.h"
#include "core/conventions/attributes/nczarr.h"
#include "core/conventions/cf/band_lists.h"
#include "core/conventions/cf/flags.h"
#include "core/conventions/crs/geotransform.h"
#include "core/conventions/facts/tiff_tags.h"
#include "core/dtype/v3_types.h"
#include "core/metadata/fill_meaning.h"

namespace zarr_driver {

namespace {

namespace json = zarr::json;

// Names of attributes that the driver interprets, and therefore does not show as metadata items.
constexpr std::string_view kInterpreted[] = {
    "_ARRAY_DIMENSIONS", "_CRS", "scale_factor", "add_offset", "units", "grid_mapping",
    "coordinates", "flag_values", "flag_meanings", "_Unsigned", zarr::kScalesOfBands,
    zarr::kOffsetsOfBands, zarr::kColoursOfBands, "multiscales", "omero", "ome", "band_number",
    kPamAttribute, kEpochAttribute, zarr::kMaskAttribute, zarr::kBaseStateAttribute,
    // Attributes about conventions and georeferencing are not shown, because a copied dataset may
    // follow other conventions and may have another position.
    "zarr_conventions", "crs", "crs_wkt", "spatial_ref", "epsg_code", "proj4", "GeoTransform"};

// Prefixes of attributes that give the position of a raster. These attributes are not shown as
// metadata items, because a copy of the items would be wrong at another position.
constexpr std::string_view kInterpretedPrefixes[] = {"proj:", "spatial:"};

bool IsNumber(const json::Value& value) {
    double number = 0;
    return value.GetDouble(number);
}

// True if `value` is a string without characters that have a meaning in a list {a,b,c}.
bool IsPlainString(const json::Value& value) {
    const std::string* const text = value.as_string();
    return text != nullptr && text->find_first_of(",{}\"") == std::string::npos;
}

}  // namespace

bool IsInterpretedAttribute(std::string_view name) {
    return std::find(std::begin(kInterpreted), std::end(kInterpreted), name) !=
               std::end(kInterpreted) ||
           zarr::IsNodataAttribute(name) ||
           std::any_of(
               std::begin(kInterpretedPrefixes), std::end(kInterpretedPrefixes),
               [&](std::string_view prefix) { return name.substr(0, prefix.size()) == prefix; }) ||
           zarr::IsNczarrAttribute(name) || zarr::IsGeoTiffTag(name);
}

std::string MetadataText(const json::Value& value) {
    if (const std::string* text = value.as_string()) return *text;
    const json::Array* items = value.as_array();
    const bool is_plain = items != nullptr && !items->empty() &&
                          (std::all_of(items->begin(), items->end(), IsNumber) ||
                           std::all_of(items->begin(), items->end(), IsPlainString));
    if (!is_plain) return json::Dump(value);
    std::string text = "{";
    for (std::size_t i = 0; i < items->size(); ++i)
        text += (i != 0 ? "," : "") + MetadataText((*items)[i]);
    return text + "}";
}

json::Value MetadataValue(const std::string& text) {
    if (text.size() >= 2 && text.front() == '{' && text.back() == '}') {
        auto list = json::Parse("[" + text.substr(1, text.size() - 2) + "]");
        const json::Array* const items = list.ok() ? list->as_array() : nullptr;
        if (items != nullptr && std::all_of(items->begin(), items->end(), IsNumber) &&
            MetadataText(*list) == text)
            return list.Take();
    }
    if (!text.empty() && (text.front() == '{' || text.front() == '[')) {
        auto parsed = json::Parse(text);
        if (parsed.ok()) return parsed.Take();
    }
    return json::Value(text);
}

std::vector<std::pair<std::string, std::string>> ItemsOf(const CPLStringList& list) {
    std::vector<std::pair<std::string, std::string>> items;
    for (int i = 0; i < list.size(); ++i) {
        char* name = nullptr;
        const char* const value = CPLParseNameValue(list[i], &name);
        if (name != nullptr && value != nullptr) items.emplace_back(name, value);
        CPLFree(name);
    }
    return items;
}

void MetadataItems::Set(const std::string& name, std::string value) {
    const auto [place, is_new] = places_.emplace(CPLString(name).tolower(), items_.size());
    if (is_new)
        items_.emplace_back(name, std::move(value));
    else
        items_[place->second].second = std::move(value);
}

void MetadataItems::Add(CSLConstList list) {
    for (; list != nullptr && *list != nullptr; ++list) {
        char* name = nullptr;
        const char* const value = CPLParseNameValue(*list, &name);
        if (name != nullptr && value != nullptr) Set(name, value);
        CPLFree(name);
    }
}

CPLStringList MetadataItems::List() const {
    CPLStringList list;
    for (const auto& [name, value] : items_) list.AddNameValue(name.c_str(), value.c_str());
    return list;
}

void AddAttributes(const json::Value& attributes, CPLStringList& list) {
    const json::Object* members = attributes.as_object();
    if (members == nullptr) return;
    const bool is_of_tiff = zarr::HasGeoTiffTags(attributes);
    const bool has_classes = !zarr::FlagNames(attributes).value.empty();
    const bool has_transform = zarr::ReadPlainTransform(attributes).value.has_value();
    const auto is_shown = [&](const std::string& name) {
        if (has_transform && name == zarr::kPlainTransform) return false;
        // flag_values and flag_meanings are shown as metadata items if the flags are single bits.
        // If the flags are classes, the band has category names instead of these items.
        const bool is_flag = name == "flag_values" || name == "flag_meanings";
        if (is_of_tiff && zarr::IsGdalTiffItem(name)) return false;
        return !IsInterpretedAttribute(name) || (is_flag && !has_classes);
    };
    MetadataItems items(list.List());
    for (const auto& [name, value] : *members)
        if (is_shown(name)) items.Set(name, MetadataText(value));
    list = items.List();
}

namespace {

std::string Joined(const std::vector<std::uint64_t>& numbers) {
    std::string text;
    for (const std::uint64_t number : numbers)
        text += (text.empty() ? "" : ",") + std::to_string(number);
    return text;
}

// Returns the size of all elements of an array in bytes, before encoding.
std::uint64_t Bytes(const zarr::ArrayMetadata& metadata) {
    std::uint64_t bytes = metadata.dtype.size;
    for (const std::uint64_t size : metadata.shape) bytes = zarr::SaturatingMul(bytes, size);
    return bytes;
}

}  // namespace

void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list) {
    const zarr::ArrayMetadata& metadata = array.metadata();
    const auto set = [&list](const char* name, const std::string& value) {
        list.SetNameValue(name, value.c_str());
    };
    set("ARRAY", "/" + array.path());
    set("ZARR_FORMAT", std::to_string(static_cast<int>(metadata.format)));
    set("DTYPE", metadata.dtype.ToString());
    set("SHAPE", Joined(metadata.shape));
    set("CHUNK_SHAPE", Joined(metadata.chunks));
    if (!metadata.shards.empty()) set("SHARD_SHAPE", Joined(metadata.stored_chunks()));
    set("ORDER", metadata.axis_order.Text());
    set("FILL_VALUE", zarr::FillValueText(metadata));
    set("DIMENSION_SEPARATOR", std::string(1, array.chunks().separator()));
    set("CHUNKS", std::to_string(array.chunk_count()));
    const std::uint64_t bytes = Bytes(metadata);
    set("BYTES", std::to_string(bytes));
    if (!listing) return;
    set("CHUNKS_INITIALIZED", std::to_string(listing->chunks));
    if (!listing->bytes) return;
    set("BYTES_STORED", std::to_string(*listing->bytes));
    if (*listing->bytes != 0)
        set("STORAGE_RATIO",
            CPLSPrintf("%.1f", static_cast<double>(bytes) / static_cast<double>(*listing->bytes)));
}

std::string CompressionName(const zarr::ArrayMetadata& metadata) {
    const auto compressor =
        std::find_if(metadata.codecs.rbegin(), metadata.codecs.rend(), zarr::IsCompressor);
    if (compressor == metadata.codecs.rend()) return {};
    const std::string_view name = compressor->name;
    constexpr std::string_view kPrefixOfImages = "imagecodecs_";
    const std::string_view text = name.substr(0, kPrefixOfImages.size()) == kPrefixOfImages
                                      ? name.substr(kPrefixOfImages.size())
                                      : name.substr(name.find('.') + 1);
    return CPLString(std::string(text)).toupper();
}

void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list) {
    const auto set = [&](const char* name, const std::string& text) {
        if (!text.empty()) list.SetNameValue(name, text.c_str());
    };
    set("COMPRESSOR", zarr::CompressorText(metadata));
    set("FILTERS", zarr::FiltersText(metadata));
    // Adds the metadata items with which GDAL's built-in driver shows the configuration of a Zarr
    // v3 data type.
    if (metadata.format != zarr::Format::kV3) return;
    const auto type = zarr::V3DataTypeToJson(metadata.dtype);
    const json::Value* const name = type.ok() ? type->Find("name") : nullptr;
    if (name == nullptr) return;
    set("data_type.name", MetadataText(*name));
    const json::Value* const configuration = type->Find("configuration");
    if (configuration == nullptr) return;
    for (const auto& [member, value] : *configuration->as_object())
        set(("data_type." + member).c_str(), MetadataText(value));
}

CPLStringList DescribeDecoding(const zarr::ArrayMetadata& metadata) {
    CPLStringList list;
    const auto set = [&](const char* name, const std::string& text) {
        list.SetNameValue(name, text.c_str());
    };
    const auto set_json = [&](const char* name, const std::string& text) {
        const auto value = text.empty() ? json::Value() : json::Parse(text);
        if (value.ok() && !value->is_null()) set(name, json::Dump(*value, " "));
    };
    set_json("COMPRESSOR", zarr::CompressorText(metadata));
    set_json("FILTERS", zarr::FiltersText(metadata));
    const zarr::ByteOrder order = metadata.dtype.order;
    if (order != zarr::ByteOrder::kNotRelevant)
        set("ENDIANNESS", order == zarr::ByteOrder::kLittle ? "LITTLE" : "BIG");
    const std::size_t rank = metadata.rank();
    std::vector<std::uint64_t> axes;
    for (std::size_t i = 0; i < rank; ++i) axes.push_back(metadata.axis_order.At(i, rank));
    if (!std::is_sorted(axes.begin(), axes.end())) set("TRANSPOSE_ORDER", "[" + Joined(axes) + "]");
    if (!metadata.shards.empty()) set("CHUNK_TYPE", "INNER");
    return list;
}

}  // namespace zarr_driver
