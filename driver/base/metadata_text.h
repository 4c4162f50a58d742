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

// Returns an attribute's value as a metadata item. Strings stay unchanged and numbers are exact.
// Lists of numbers or plain strings become {a,b,c}, all other values JSON.
std::string MetadataText(const zarr::json::Value& value);

// Returns the attribute's value for a metadata item, the inverse of MetadataText(). {1,2} becomes a
// list of numbers, and JSON objects and lists are parsed. Any other text becomes a string. Only
// spaces in JSON are lost.
zarr::json::Value MetadataValue(const std::string& text);

// Returns names and values of a list of NAME=VALUE.
std::vector<std::pair<std::string, std::string>> ItemsOf(const CPLStringList& list);

// Attribute for facts of GDAL that neither Zarr nor CF can express; see driver/raster/stored_pam.h.
inline constexpr const char* kPamAttribute = "gdal_pam";

// True for attributes that the driver shows in another way (nodata, scale, dimension names and so
// on), or that give the position of a raster.
bool IsInterpretedAttribute(std::string_view name);

// Metadata items in the order in which their names were first set. Set() takes constant time,
// unlike CPLStringList::SetNameValue().
class MetadataItems {
  public:
    MetadataItems() = default;
    explicit MetadataItems(CSLConstList list) { Add(list); }

    // Sets an item. Replaces an item whose name differs only in case.
    void Set(const std::string& name, std::string value);
    void Add(CSLConstList list);
    CPLStringList List() const;

  private:
    std::vector<std::pair<std::string, std::string>> items_;
    std::unordered_map<std::string, std::size_t>
        places_;  // index in items_ by the name in lower case
};

// Adds attributes to `list` as metadata items, except interpreted ones. Includes flags that are not
// classes. Replaces items of the same name.
void AddAttributes(const zarr::json::Value& attributes, CPLStringList& list);

// Metadata domain with facts about the stored array. Bands have the domain, too, if a dataset shows
// several arrays as bands.
inline constexpr const char* kZarrDomain = "ZARR";

// Adds facts about the stored array to `list` as NAME=VALUE: format, dtype, shape and sizes. Adds
// number and size of the stored chunks if `listing` is given. DescribeCodecs() adds the codecs.
void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list);

// Returns the compressor's name as the creation option COMPRESS spells it; empty without a
// compressor.
std::string CompressionName(const zarr::ArrayMetadata& metadata);

// Adds COMPRESSOR and FILTERS to `list` if the array has them. Adds the configuration of a Zarr v3
// data type if its name does not say all.
void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list);

// Returns what a reader needs to decode a stored chunk, with the names of GDAL's built-in driver:
// COMPRESSOR, FILTERS, ENDIANNESS and TRANSPOSE_ORDER. An inner chunk of a shard adds
// CHUNK_TYPE=INNER.
CPLStringList DescribeDecoding(const zarr::ArrayMetadata& metadata);

}  // namespace zarr_driver
