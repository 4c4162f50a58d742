// SPDX-License-Identifier: MIT
// What netCDF-C's NCZarr adds to a Zarr v2 store (its documentation, "NCZarr Metadata"). How it
// changes the meaning of `.zarray` is in metadata/dialects.h.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/hierarchy/hierarchy.h"

namespace zarr {

// The key that the stores of netCDF-C 4.8.0 have at their root.
inline constexpr std::string_view kOldNczarrKey = ".nczarr";

// The dimensions of an array as fully qualified names ("/group/lat"), from `_NCZARR_ARRAY` or
// `_nczarr_array` in `.zarray` or `.zattrs`, or in the stores of netCDF-C 4.8.0, which have a key
// `.nczarr`, from the key `.nczarray` beside `.zarray`. Empty where it has none, or not one per
// dimension.
std::vector<std::string> NczarrDimensions(const Hierarchy& hierarchy, const std::string& path,
                                          const ArrayMetadata& metadata,
                                          const json::Value& attributes);

// The length of the texts in an array of netCDF's characters, whose last dimension counts those of
// each text: at least 1; 0 for any other array, and for texts of more than kMaxNczarrText bytes.
inline constexpr std::uint64_t kMaxNczarrText = std::uint64_t{1} << 20;
std::size_t NczarrTextLength(const ArrayMetadata& metadata);

// The types of attributes that are numbers, by their names, as NCZarr remembers them by
// `_NCZARR_ATTR` or `_nczarr_attr` in the same `.zattrs`.
std::unordered_map<std::string, DataType> NczarrAttributeTypes(const json::Value& attributes);

// The names of the dimensions that a group declares and their sizes, by `_NCZARR_GROUP` or
// `_nczarr_group` in `.zgroup` or `.zattrs`, or by the key `.nczgroup`; those that no array has,
// too.
struct NczarrDimension {
    std::string name;
    std::uint64_t size = 0;
};
std::vector<NczarrDimension> NczarrGroupDimensions(const Hierarchy& hierarchy,
                                                   const std::string& group);

// The names of the arrays and groups directly in a group, by the same keys. Whether they exist is
// not looked at.
std::vector<std::string> NczarrGroupMembers(const Hierarchy& hierarchy, const std::string& group);

// True for attributes that are netCDF-C's own bookkeeping.
bool IsNczarrAttribute(std::string_view name);

}  // namespace zarr
