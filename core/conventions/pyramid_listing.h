// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes.h"

namespace zarr {

// A level of a pyramid as something lists it, not checked.
struct ListedLevel {
    std::string path;    // of an array or a group, from the root
    std::string origin;  // where it is listed, for messages
};

struct ListedPyramid {
    std::string group;   // whose pyramid it is
    std::string origin;  // where it is described, for messages
    std::vector<ListedLevel> levels;
    bool is_overviews = false;  // of an array that is there without them
};

// The warning for a level that is not used: `why` is a predicate, "is no raster".
inline std::string LeftOut(const ListedLevel& level, const std::string& why) {
    return level.origin + ": level /" + level.path + " " + why + "; it is left out";
}

}  // namespace zarr
