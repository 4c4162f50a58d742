// SPDX-License-Identifier: MIT
// Chooses X and Y among the dimensions of an array, by attributes and names of their coordinates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/json/value.h"

namespace zarr {

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

// True if `standard_name` or `units` say that a coordinate array has longitudes (or latitudes). The
// name of the array does not matter.
bool IsLongitude(const json::Value& coordinate_attributes);
bool IsLatitude(const json::Value& coordinate_attributes);

}  // namespace zarr
