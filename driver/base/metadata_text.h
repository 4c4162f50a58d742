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

// An attribute's value as a metadata item: strings as they are, numbers exactly, lists of numbers
// or of plain strings as {a,b,c}, anything else as JSON.
std::string MetadataText(const zarr::json::Value& value);

// The attribute's value that a metadata item stands for: the numbers of a list {1,2}, the JSON of
// an object or a list, else the text itself. MetadataText() of it is `text`, but for spaces in
// JSON.
zarr::json::Value MetadataValue(const std::string& text);

// The names and values of a list of NAME=VALUE.
std::vector<std::pair<std::string, std::string>> ItemsOf(const CPLStringList& list);

// The attribute that holds what neither Zarr nor CF has words for; see driver/raster/stored_pam.h.
inline constexpr const char* kPamAttribute = "gdal_pam";

// True for attributes that the driver itself shows elsewhere (nodata, scale, dimension names, ...),
// or that place a raster.
bool IsInterpretedAttribute(std::string_view name);

// Metadata items, in the order in which their names came first. Setting one takes the same time
// however many there are, which it does not in a CPLStringList.
class MetadataItems {
  public:
    MetadataItems() = default;
    explicit MetadataItems(CSLConstList list) { Add(list); }

    // Replaces the item whose name is the same but for capitals.
    void Set(const std::string& name, std::string value);
    void Add(CSLConstList list);
    CPLStringList List() const;

  private:
    std::vector<std::pair<std::string, std::string>> items_;
    std::unordered_map<std::string, std::size_t>
        places_;  // in items_, by the name in small letters
};

// Adds to `list` the attributes that are not interpreted, with flags that are no classes. Later
// ones replace earlier ones of the same name.
void AddAttributes(const zarr::json::Value& attributes, CPLStringList& list);

// The metadata domain of what is said here, of datasets and, where several arrays are bands, of
// those.
inline constexpr const char* kZarrDomain = "ZARR";

// Adds what users of Zarr look for in an array, as NAME=VALUE: its format, types and sizes, and of
// a listing of its chunks how much is stored. The codecs are not among it.
void DescribeStorage(const zarr::Array& array, const std::optional<zarr::ChunkListing>& listing,
                     CPLStringList& list);

// The compressor as the creation option COMPRESS calls it, or its name in capitals; empty without.
std::string CompressionName(const zarr::ArrayMetadata& metadata);

// Adds COMPRESSOR and FILTERS, each where there are any, and what else than a name says the data
// type of an array of Zarr v3.
void DescribeCodecs(const zarr::ArrayMetadata& metadata, CPLStringList& list);

// What it takes to decode a chunk as it is stored, in the words of GDAL's own driver: COMPRESSOR,
// FILTERS, ENDIANNESS, TRANSPOSE_ORDER, and CHUNK_TYPE=INNER of a chunk in a shard.
CPLStringList DescribeDecoding(const zarr::ArrayMetadata& metadata);

}  // namespace zarr_driver
