// SPDX-License-Identifier: MIT
// The names of an array's dimensions, and which of them are X and Y.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/conventions/multiscales.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

struct DimensionNames {
    std::vector<std::string> names;
    bool are_stated = false;  // by the store
};

// Names of the `rank` dimensions: `_ARRAY_DIMENSIONS` (xarray), else dim0, dim1, ... A convention
// that does not fit the rank gives a warning and is passed over.
DimensionNames FindDimensionNames(const json::Value& attributes, std::size_t rank,
                                  Warnings& warnings);

enum class AxisRole { kNone, kX, kY, kZ, kTime };

// The role that a coordinate array's own attributes give its dimension: `axis`, else
// `standard_name`, else `units` (CF conventions, section 4).
AxisRole RoleFromAttributes(const json::Value& coordinate_attributes);

// The role that a dimension's usual names give it, in any case.
AxisRole RoleFromName(const std::string& name);

// The role X or Y of a name that starts with "x_" or "y_" or ends with "_x" or "_y", in any case,
// as "x_geostationary" and "pixel_y" do, but not both. It counts where no dimension has the role in
// another way.
AxisRole RoleFromPartOfName(const std::string& name);

// What is known of one dimension of an array.
struct DimensionFacts {
    std::string name;
    std::uint64_t size = 0;
    const json::Value* coordinate_attributes = nullptr;  // of its coordinate array, if it has one
    AxisRole declared = AxisRole::kNone;                 // by `spatial:dimensions` or OME's axes
    bool has_text_coordinates = false;                   // which place nothing on a map
};

// Its role by the coordinates' attributes, else as declared, else by the usual names; not X or Y
// where the coordinates are texts.
AxisRole RoleOf(const DimensionFacts& dimension);

// Indices of the horizontal dimensions; y is absent for one dimension, both for none.
struct HorizontalAxes {
    std::optional<std::size_t> x;
    std::optional<std::size_t> y;
};

// By the coordinates' attributes, else what is declared, else the usual names, else parts of the
// names, else the last two dimensions. One with texts for coordinates is taken where none without
// is left.
HorizontalAxes FindHorizontalAxes(const std::vector<DimensionFacts>& dimensions);

// What an array's dimensions are called, by any of the conventions.

struct NamedDimension {
    std::string name;
    std::string group;                    // that its coordinate array is looked for in first
    AxisRole declared = AxisRole::kNone;  // by OME's axes
    bool is_named = true;                 // false for dim0, dim1, ...
    bool is_declared_in_group = false;    // and has no coordinate array elsewhere
};

// The names of each dimension: `_ARRAY_DIMENSIONS`, in the groups that NCZarr says where it has the
// same names, else NCZarr's, else the axes of the OME image that lists the array as a level, else
// dim0, dim1, ... What does not fit gives a warning, and the next is tried.
std::vector<NamedDimension> NameDimensions(const Hierarchy& hierarchy, const std::string& path,
                                           const ArrayMetadata& metadata,
                                           const json::Value& attributes, Warnings& warnings);

}  // namespace zarr
