// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/dimensions.h"
#include "core/dtype/data_type.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// A dimension of an array, with the path of its coordinate array.
struct Dimension {
    std::string name;
    bool is_named = true;  // false for the generated names dim0, dim1, ...
    std::uint64_t size = 0;
    // Role that the coordinate array's attributes state, else a declared role, else the role that
    // the name suggests. An example of a declaration is `spatial:dimensions`.
    AxisRole role = AxisRole::kNone;
    // Group of the coordinate array. If there is no coordinate array, the first group that was
    // searched for it.
    std::string group;
    std::string coordinate_path;  // empty if the dimension has no coordinate array
    // Attributes of the coordinate array, with the members of `_eopf_attrs` (see WithEopf()). Empty
    // object if there is no coordinate array.
    json::Value coordinate_attributes;
};

// Facts about an array from its metadata and attributes. Chunks are not read.
struct ArrayFacts {
    std::string path;
    ArrayMetadata metadata;
    // Attributes of the array, with the members of `_eopf_attrs`; see WithEopf().
    json::Value attributes;
    json::Value group_attributes;  // attributes of the array's parent group
    std::vector<Dimension> dimensions;
    HorizontalAxes axes;
    // The axis of colours (red, green, blue and, if four, alpha) of an image whose dimensions have
    // no names; nullopt for other arrays. See IsColourImage().
    std::optional<std::size_t> colour_axis;
    Warnings warnings;
};

// A colour image has at least this many rows, and columns, for each of its colours: 24 rows and 24
// columns for 3 colours. A smaller array is not taken as a colour image.
inline constexpr std::uint64_t kColourImageSides = 8;

// True if the array has the type and shape of a colour image that Pillow or OpenCV writes. The type
// is uint8 or uint16, the shape (rows, columns, 3 or 4). Rows and columns are at least
// kColourImageSides times the number of colours.
bool IsColourImage(const ArrayMetadata& metadata);

// The two dimension names of the attribute `spatial:dimensions` (zarr-conventions, spatial).
struct SpatialDimensions {
    std::string y;
    std::string x;
};

// Returns the names in `spatial:dimensions`; nullopt if the attribute is absent or is not an array
// of two strings.
std::optional<SpatialDimensions> ReadSpatialDimensions(const json::Value& attributes);

// Reads the metadata and attributes of an array and of its coordinate arrays. Attributes that are
// not JSON give a warning and are treated as empty. The result is cached in the hierarchy.
Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path);

// Appends to `keys`, for Store::Prefetch(), the keys of the documents that DescribeArray() reads
// about an array's coordinates. Requires that the documents of the array itself are cached.
void AddCoordinateKeys(const Hierarchy& hierarchy, const std::string& path,
                       std::vector<std::string>& keys);

// Returns the path of the coordinate array of a dimension: a 1-D array of `size` elements with the
// dimension's name. Searches `group`, then its ancestors from the nearest on. Empty if no array
// matches.
std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size);

// Returns the class names by pixel value 0, 1, 2, ... from `flag_values` and `flag_meanings` (CF
// conventions, section 3.5). EOPF writes `flag_meanings` as a list. A value without a meaning has
// an empty name. Warns if the numbers of meanings and values differ.
//
// Returns an empty list in three cases: the array has no flags, the attribute `flag_masks` exists,
// or a value is outside 0 to 1023.
std::vector<std::string> FlagNames(const json::Value& attributes, Warnings& warnings);

// Returns `type` as a signed or unsigned integer type, as the attribute `_Unsigned` states. Without
// the attribute, and for types other than integers, returns `type` unchanged. The netCDF convention
// defines `_Unsigned` for formats without unsigned integers.
DataType ApplyUnsigned(const DataType& type, const json::Value& attributes);

}  // namespace zarr
