// SPDX-License-Identifier: MIT
// Reads what `multiscales` with `spatial` (zarr-conventions) states about a pyramid level: source,
// scale, translation and shape.
//
// This library uses the array's size instead, and warns about wrong statements, because other
// readers use them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"

namespace zarr {

// Maximum numbers of levels in one pyramid, of levels in all pyramids of a group, and of entries of
// `multiscales`. Pyramids that exceed a maximum are ignored with a warning. Overviews of arrays
// have a maximum of their own, because each array is a pyramid.
inline constexpr std::size_t kMaxPyramidLevels = 256;
inline constexpr std::size_t kMaxLevelsInGroup = 1024;
inline constexpr std::size_t kMaxMultiscales = 64;
// Maximum number of overviews of all arrays in a group.
inline constexpr std::size_t kMaxOverviewsInGroup = 65536;

// Statements about a pyramid level in one entry of `layout`. A member that is absent or invalid in
// the entry is empty here; an invalid member has given a warning.
struct LevelStatement {
    std::string level;  // path of the listed array or group
    // Path of the level from which this level was computed; empty if the path is ".".
    std::optional<std::string> source;
    bool is_source_listed = false;  // true if `layout` also has an entry for `source`
    // For each dimension, the number of source elements for one element of this level.
    std::vector<double> scale;
    std::vector<double> translation;   // per dimension; only their number is checked
    std::vector<std::uint64_t> shape;  // height and width of the level
    std::string method;                // resampling method, such as "average"; empty if not stated
    // Resampling methods of arrays that differ from `method`, by array name, if the level is a
    // group.
    std::map<std::string, std::string> methods;
};

// Reads the entry of `layout` that lists `level`; messages call the entry `origin`. Paths are
// relative to the group with the attribute `multiscales`.
LevelStatement ReadLevelStatement(const json::Value& entry, const std::string& origin,
                                  const std::string& level, Warnings& warnings);

}  // namespace zarr
