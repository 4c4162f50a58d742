// SPDX-License-Identifier: MIT
// Reads the NCZarr extension of Zarr v2 stores (netCDF-C documentation, "NCZarr Metadata"). Effects
// of the extension on `.zarray` are in metadata/dialects.h.
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

// Returns the dimensions of an array as fully qualified names ("/group/lat"). The source is
// `_NCZARR_ARRAY` or `_nczarr_array` in `.zarray` or `.zattrs`. In stores of netCDF-C 4.8.0, which
// have a key `.nczarr`, the source is the key `.nczarray` beside `.zarray`. Empty unless each
// dimension has one name.
std::vector<std::string> NczarrDimensions(const Hierarchy& hierarchy, const std::string& path,
                                          const ArrayMetadata& metadata,
                                          const json::Value& attributes);

// Maximum length of a text in an array of netCDF characters, in bytes.
inline constexpr std::uint64_t kMaxNczarrText = std::uint64_t{1} << 20;
// Returns the length in bytes of each text in an array of netCDF characters, whose last dimension
// counts the characters of a text. Returns 0 for any other array, and if texts have more than
// kMaxNczarrText bytes.
std::size_t NczarrTextLength(const ArrayMetadata& metadata);

// Returns the data types of numeric attributes by name, as NCZarr records them in `_NCZARR_ATTR` or
// `_nczarr_attr` of the attributes.
std::unordered_map<std::string, DataType> NczarrAttributeTypes(const json::Value& attributes);

// A dimension that the NCZarr extension of a group declares.
struct NczarrDimension {
    std::string name;
    std::uint64_t size = 0;
};
// Returns the dimensions that a group declares, including dimensions that no array uses. The source
// is `_NCZARR_GROUP` or `_nczarr_group` in `.zgroup` or `.zattrs`, or the key `.nczgroup`.
std::vector<NczarrDimension> NczarrGroupDimensions(const Hierarchy& hierarchy,
                                                   const std::string& group);

// Returns the names of the arrays and groups directly in a group, as NCZarr's extension of the
// group lists them. The existence of the nodes is not checked.
std::vector<std::string> NczarrGroupMembers(const Hierarchy& hierarchy, const std::string& group);

// True if netCDF-C uses an attribute of this name for its own metadata.
bool IsNczarrAttribute(std::string_view name);

}  // namespace zarr
