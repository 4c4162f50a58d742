// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/dtype/data_type.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// A dimension of an array, with the path of its coordinate array.
struct Dimension {
    std::string name;
    bool is_named = true;  // false for the generated names dim0, dim1, ...
    std::uint64_t size = 0;
    // Role that the coordinate array's attributes state. Without such a role, the one that is
    // declared, for example by `spatial:dimensions`, else the one that the dimension's name
    // suggests.
    AxisRole role = AxisRole::kNone;
    // Group of the coordinate array. If there is no coordinate array, the first group that was
    // searched for it.
    std::string group;
    std::string coordinate_path;  // empty if the dimension has no coordinate array
    // Attributes of the coordinate array, with the members of `_eopf_attrs` (see WithEopf()). Empty
    // object if there is no coordinate array.
    json::Value coordinate_attributes;
};

// Properties of an array, from its metadata and attributes. Chunks are not read.
struct ArrayFacts {
    std::string path;
    ArrayMetadata metadata;
    // Attributes of the array, as InterpretAttributes() returns them.
    json::Value attributes;
    json::Value group_attributes;  // attributes of the array's parent group
    std::vector<Dimension> dimensions;
    HorizontalAxes axes;
    // The axis of colours (red, green, blue and, if four, alpha) of an image whose dimensions have
    // no names; nullopt for other arrays. See IsColourImage().
    std::optional<std::size_t> colour_axis;
    Warnings warnings;
};

// Minimum number of rows, and of columns, of a colour image for each of its colours: 24 for 3
// colours. A smaller array is not taken as a colour image.
inline constexpr std::uint64_t kColourImageSides = 8;

// True if the array looks like a colour image of Pillow or OpenCV: type uint8 or uint16, shape
// (rows, columns, 3 or 4). Rows and columns are at least kColourImageSides for each colour.
bool IsColourImage(const ArrayMetadata& metadata);

// True if the array consists of numbers, has at least two dimensions and is not empty.
bool IsRaster(const ArrayMetadata& metadata);

// True if elements of `type` are numbers, or structures with a numeric field.
bool HasNumbers(const DataType& type);

// The two dimension names of the attribute `spatial:dimensions` (zarr-conventions, spatial).
struct SpatialDimensions {
    std::string y;
    std::string x;
};

// Returns the names in `spatial:dimensions`; nullopt if the attribute is absent or is not an array
// of two strings.
std::optional<SpatialDimensions> ReadSpatialDimensions(const json::Value& attributes);

// Reads the metadata and attributes of an array and of its coordinate arrays. Attributes that are
// not JSON give a warning and count as empty. The hierarchy caches the result.
Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path);

// Returns an array's attributes with statements of some writers under the names of CF: those of
// `_eopf_attrs` (WithEopf()), and those of a TIFF file (WithGeoTiff()). `facts` needs path,
// metadata and group attributes.
Fact<json::Value> InterpretAttributes(const Hierarchy& hierarchy, const ArrayFacts& facts,
                                      json::Value attributes);

// Returns the path of a dimension's coordinate array: 1-D, with `size` elements and the dimension's
// name. Searches `group`, then its ancestors from the nearest on. Empty if there is none.
std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size);

// Returns an integer type as signed or unsigned, as the attribute `_Unsigned` states. The netCDF
// convention defines it for formats without unsigned integers. Returns other types unchanged.
DataType ApplyUnsigned(const DataType& type, const json::Value& attributes);

}  // namespace zarr
