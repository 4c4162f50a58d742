// SPDX-License-Identifier: MIT
// Reads NCZarr, netCDF-C's extension of Zarr v2 (netCDF-C documentation, "NCZarr Metadata").
// metadata/dialects.h handles NCZarr's changes to `.zarray`.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Key at the root of stores that netCDF-C 4.8.0 wrote; later versions have no such key.
inline constexpr std::string_view kOldNczarrKey = ".nczarr";

// Returns the dimensions of an array as full names ("/group/lat"); empty unless each dimension has
// one name. They are in `_NCZARR_ARRAY` or `_nczarr_array` of `.zarray` or `.zattrs`, or in the key
// `.nczarray` that netCDF-C 4.8.0 writes.
std::vector<std::string> NczarrDimensions(const Hierarchy& hierarchy, const std::string& path,
                                          const ArrayMetadata& metadata,
                                          const json::Value& attributes);

// Maximum length in bytes of each text in an array of netCDF characters.
inline constexpr std::uint64_t kMaxNczarrText = std::uint64_t{1} << 20;
// Returns the length in bytes of the texts in an array of netCDF characters, whose last dimension
// counts characters. Returns 0 for any other array, and for texts of more than kMaxNczarrText
// bytes.
std::size_t NczarrTextLength(const ArrayMetadata& metadata);

// Returns the data types of numeric attributes by attribute name. NCZarr records them in
// `_NCZARR_ATTR` or `_nczarr_attr` of the attributes.
std::unordered_map<std::string, DataType> NczarrAttributeTypes(const json::Value& attributes);

// A dimension that a group declares in its NCZarr metadata.
struct NczarrDimension {
    std::string name;
    std::uint64_t size = 0;
};
// Returns the dimensions that a group declares in its NCZarr metadata, even if no array uses them.
// They are in `_NCZARR_GROUP` or `_nczarr_group` of `.zgroup` or `.zattrs`, or in the key
// `.nczgroup`.
std::vector<NczarrDimension> NczarrGroupDimensions(const Hierarchy& hierarchy,
                                                   const std::string& group);

// Returns the names of the arrays and groups directly in a group, as its NCZarr metadata lists
// them. The store may lack some of them.
std::vector<std::string> NczarrGroupMembers(const Hierarchy& hierarchy, const std::string& group);

// True if netCDF-C stores its own metadata in an attribute of this name.
bool IsNczarrAttribute(std::string_view name);

}  // namespace zarr
