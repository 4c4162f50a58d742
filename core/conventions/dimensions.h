// SPDX-License-Identifier: MIT
// Names the dimensions of an array, and chooses X and Y among them.
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
    bool are_stated = false;  // false if the names are generated
};

// Returns the names of the `rank` dimensions in `_ARRAY_DIMENSIONS` (xarray). If the attribute is
// absent, the names are dim0, dim1, ... An attribute that does not fit the rank gives a warning and
// is ignored.
Fact<DimensionNames> FindDimensionNames(const json::Value& attributes, std::size_t rank);

enum class AxisRole { kNone, kX, kY, kZ, kTime };

// Returns the role of a dimension, such as X or time, by its coordinate array's attributes: `axis`,
// else `standard_name`, else `units` (CF conventions, section 4).
AxisRole RoleFromAttributes(const json::Value& coordinate_attributes);

// Returns the role of a dimension whose name is usual for that role ("lon", "easting", "time"),
// ignoring case. Returns kNone for other names.
AxisRole RoleFromName(const std::string& name);

// Returns the role X if a name starts with "x_" or ends with "_x", and the role Y for "y_" and
// "_y", ignoring case. Examples: "x_geostationary", "pixel_y". Returns kNone if the name suggests
// both roles. Callers use the result only if no dimension has that role by its coordinates, a
// declaration or its whole name.
AxisRole RoleFromPartOfName(const std::string& name);

// Facts about a dimension that decide its role.
struct DimensionFacts {
    std::string name;
    std::uint64_t size = 0;
    const json::Value* coordinate_attributes = nullptr;  // nullptr if there is no coordinate array
    AxisRole declared = AxisRole::kNone;  // role that `spatial:dimensions` or OME axes declare
    bool has_text_coordinates = false;    // true if coordinates are text, which has no map position
};

// Returns the role of a dimension by its coordinates' attributes, else by a declaration, else by
// its name. A dimension with text coordinates is never X or Y.
AxisRole RoleOf(const DimensionFacts& dimension);

// Indices of the horizontal dimensions X and Y of an array. `y` is nullopt for a 1-D array; both
// are nullopt for a scalar.
struct HorizontalAxes {
    std::optional<std::size_t> x;
    std::optional<std::size_t> y;
};

// Chooses X and Y by the first of: the coordinates' attributes, declarations, usual names, parts of
// names, "x" and "y" with the same number, the last two dimensions. A dimension with text
// coordinates is chosen only if no other dimension is left.
HorizontalAxes FindHorizontalAxes(const std::vector<DimensionFacts>& dimensions);

// A dimension of an array, with a name that a convention gives the dimension, or a generated name.
struct NamedDimension {
    std::string name;
    std::string group;                    // first group in which the coordinate array is searched
    AxisRole declared = AxisRole::kNone;  // role that OME axes declare
    bool is_named = true;                 // false for generated names: dim0, dim1, ...
    bool is_declared_in_group = false;    // the coordinate array can only be in `group` (NCZarr)
};

// Returns the names of an array's dimensions. The sources, by precedence:
// 1. `_ARRAY_DIMENSIONS`, with the groups that NCZarr states for equal names;
// 2. NCZarr's names;
// 3. the axes of the OME image that lists the array as a level;
// 4. the generated names dim0, dim1, ...
// A source that does not fit gives a warning and is ignored.
Fact<std::vector<NamedDimension>> NameDimensions(const Hierarchy& hierarchy,
                                                 const std::string& path,
                                                 const ArrayMetadata& metadata,
                                                 const json::Value& attributes);

}  // namespace zarr
