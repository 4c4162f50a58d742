// SPDX-License-Identifier: MIT
// Names the dimensions of an array.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/conventions/attributes/axis_roles.h"
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
