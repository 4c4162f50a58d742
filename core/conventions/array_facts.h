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

// A dimension of an array, with the array that holds its coordinates.
struct Dimension {
    std::string name;
    bool is_named = true;  // false for dim0, dim1, ...: the store gives it no name
    std::uint64_t size = 0;
    AxisRole role = AxisRole::kNone;    // by its coordinates, by declaration, or by its name
    std::string group;                  // that it belongs to: its coordinate array's, else its own
    std::string coordinate_path;        // empty where there is no coordinate array
    json::Value coordinate_attributes;  // WithEopf(); an empty object then
};

// What an array's metadata and attributes say, without touching its chunks.
struct ArrayFacts {
    std::string path;
    ArrayMetadata metadata;
    json::Value attributes;        // WithEopf()
    json::Value group_attributes;  // of the group around it
    std::vector<Dimension> dimensions;
    HorizontalAxes axes;
    // Of an image without names for its dimensions, the one along which red, green, blue and, of
    // four, alpha lie: the last of an array (rows, columns, 3 or 4) of uint8 or uint16 of which
    // both rows and columns are at least kColourImageSides times as many. See IsColourImage().
    std::optional<std::size_t> colour_axis;
    Warnings warnings;
};

// How many times as many rows and columns as colours an image has at least; fewer may be anything.
inline constexpr std::uint64_t kColourImageSides = 8;

// True for the type and shape of an image in colours, as Pillow and OpenCV give them to
// zarr-python.
bool IsColourImage(const ArrayMetadata& metadata);

// The two names of the attribute `spatial:dimensions`.
struct SpatialDimensions {
    std::string y;
    std::string x;
};

// nullopt where the attribute is absent, or is not an array of two texts.
std::optional<SpatialDimensions> ReadSpatialDimensions(const json::Value& attributes);

// Reads an array's metadata and attributes and those of its coordinate arrays. Attributes that are
// no JSON give a warning and count as none.
Result<ArrayFacts> DescribeArray(const Hierarchy& hierarchy, const std::string& path);

// Appends the keys of the documents that DescribeArray() looks at for coordinates, as far as its
// own documents, which are read, tell; see Store::Prefetch().
void AddCoordinateKeys(const Hierarchy& hierarchy, const std::string& path,
                       std::vector<std::string>& keys);

// The path of the 1-D array of `size` elements that is named like the dimension, in `group` or the
// nearest group above it; empty where there is none.
std::string FindCoordinateArray(const Hierarchy& hierarchy, std::string group,
                                const std::string& dimension, std::uint64_t size);

// Names of the values 0, 1, 2, ... of a classification, by `flag_values` and `flag_meanings` (CF
// conventions, section 3.5), of which the latter may be a list; values without a meaning have an
// empty name. Empty where there are no such flags, where `flag_masks` say that they are bits of
// several, or one is negative or over 1023. Broken ones give a warning.
std::vector<std::string> FlagNames(const json::Value& attributes, Warnings& warnings);

// The type that `_Unsigned` (netCDF's convention for formats without unsigned integers) makes of an
// integer type; other types stay as they are.
DataType ApplyUnsigned(const DataType& type, const json::Value& attributes);

}  // namespace zarr
