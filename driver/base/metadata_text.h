// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/array/array.h"
#include "core/json/value.h"

namespace zarr_driver {

// Returns the text of an attribute's value, for a metadata item. Strings stay unchanged and numbers
// are exact. A list of numbers or plain strings becomes {a,b,c}. Any other value becomes JSON.
std::string MetadataText(const zarr::json::Value& value);

// Parses the text of a metadata item to an attribute's value, as the inverse of MetadataText().
// {1,2} becomes a list of numbers. A JSON object or list is parsed. Any other text becomes a
// string. MetadataText() of the result equals `text`, except for spaces in JSON.
zarr::json::Value MetadataValue(const std::string& text);

// Splits a list of NAME=VALUE into pairs of name and value.
std::vector<std::pair<std::string, std::string>> ItemsOf(const CPLStringList& list);

// Name of the attribute for GDAL's facts that neither Zarr nor CF can express. See
// driver/raster/stored_pam.h.
inline constexpr const char* kPamAttribute = "gdal_pam";

// Name of the attribute with the coordinate epoch of an array's CRS, a decimal year.
inline constexpr const char* kEpochAttribute = "coordinateEpoch";

// True if the attribute `name` is not shown as a metadata item. The driver shows such an attribute
// in another way (nodata, scale, dimension names), or as the position of a raster.
bool IsInterpretedAttribute(std::string_view name);

// Metadata items, in the order in which their names were first set. Set() takes constant time,
// unlike CPLStringList::SetNameValue().
class MetadataItems {
  public:
    MetadataItems() = default;
    explicit MetadataItems(CSLConstList list) { Add(list); }

    // Sets the item `name` to `value`. Names are compared without case: an existing item with an
    // equal name is replaced.
    void Set(const std::string& name, std::string value);
    void Add(CSLConstList list);
    CPLStringList List() const;

  private:
    std::vector<std::pair<std::string, std::string>> items_;
    std::unordered_map<std::string, std::size_t>
        places_;  // index in items_ by the name in lower case
};

// Adds attributes to `list` as metadata items, except interpreted attributes (see
// IsInterpretedAttribute()). Adds flag_values and flag_meanings if the flags are bits and not
// classes. Replaces items that have the name of an attribute.
void AddAttributes(const zarr::json::Value& attributes, CPLStringList& list);

// Metadata domain with facts about the stored array. The dataset has the domain; if the bands are
// separate arrays, each band has it, too.
inline constexpr const char* kZarrDomain = "ZARR";

// True if `domain`, which may be nullptr, is kZarrDomain in upper or lower case.
inline bool IsZarrDomain(const char* domain) {
    return domain != nullptr && EQUAL(domain, kZarrDomain);
}

// Adds facts about the stored array to `list` as NAME=VALUE: format, dtype, shape and sizes. If
// `listing` is given, also adds number and size of the stored chunks. Codecs are added by
// DescribeCodecs().
void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list);

// Returns the name of the array's compressor, as a value of the creation option COMPRESS. Returns
// an empty string if the array has no compressor.
std::string CompressionName(const zarr::ArrayMetadata& metadata);

// Adds the items COMPRESSOR and FILTERS to `list` if the array has a compressor or filters. Also
// adds the configuration of a Zarr v3 data type, if there is one.
void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list);

// Returns the facts that a reader needs to decode a stored chunk: COMPRESSOR, FILTERS, ENDIANNESS
// and TRANSPOSE_ORDER. The names are those of GDAL's built-in driver. For an inner chunk of a
// shard, adds CHUNK_TYPE=INNER.
CPLStringList DescribeDecoding(const zarr::ArrayMetadata& metadata);

}  // namespace zarr_driver
