// SPDX-License-Identifier: MIT
// The NCZarr extension of Zarr v2 stores (netCDF-C documentation, "NCZarr Metadata"). Its effect on
// `.zarray` is in metadata/dialects.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Key at the root of stores that netCDF-C 4.8.0 wrote.
inline constexpr std::string_view kOldNczarrKey = ".nczarr";

// Returns the dimensions of an array as fully qualified names ("/group/lat"). Source:
// `_NCZARR_ARRAY` or `_nczarr_array` in `.zarray` or `.zattrs`. In stores of netCDF-C 4.8.0, which
// have a key `.nczarr`, the source is the key `.nczarray` beside `.zarray`. Empty unless there is
// one name for each dimension.
std::vector<std::string> NczarrDimensions(const Hierarchy& hierarchy, const std::string& path,
                                          const ArrayMetadata& metadata,
                                          const json::Value& attributes);

// Maximum length of a text in an array of netCDF characters, in bytes.
inline constexpr std::uint64_t kMaxNczarrText = std::uint64_t{1} << 20;
// Returns the length in bytes of each text in an array of netCDF characters, whose last dimension
// counts the characters of a text. 0 for any other array, and for texts above kMaxNczarrText bytes.
std::size_t NczarrTextLength(const ArrayMetadata& metadata);

// Returns the data types of numeric attributes by name, as NCZarr records them in `_NCZARR_ATTR` or
// `_nczarr_attr` of the attributes.
std::unordered_map<std::string, DataType> NczarrAttributeTypes(const json::Value& attributes);

// A dimension that a group declares.
struct NczarrDimension {
    std::string name;
    std::uint64_t size = 0;
};
// Returns the dimensions that a group declares, also those that no array has. Source:
// `_NCZARR_GROUP` or `_nczarr_group` in `.zgroup` or `.zattrs`, or the key `.nczgroup`.
std::vector<NczarrDimension> NczarrGroupDimensions(const Hierarchy& hierarchy,
                                                   const std::string& group);

// Returns the names of the arrays and groups directly in a group by NCZarr's extension of the
// group. Their existence is not checked.
std::vector<std::string> NczarrGroupMembers(const Hierarchy& hierarchy, const std::string& group);

// True for attributes that netCDF-C keeps for itself.
bool IsNczarrAttribute(std::string_view name);

}  // namespace zarr
