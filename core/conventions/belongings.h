// SPDX-License-Identifier: MIT
// The belongings of an array, which are deleted and renamed with it: its overviews, and the arrays
// of its group that it alone refers to, such as its mask, grid mapping, coordinates and bounds. The
// next array of that name would take them for its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"

namespace zarr {

// The nodes that are deleted with another one.
struct DeletionScope {
    std::string group;  // only arrays in and below it refer to what belongs to the node
    // Coordinate arrays of dimensions stay, unless their names were made of the array's, as x_NAME.
    bool keeps_dimensions = false;
};

// Deletes a node; an array with what belongs to it. Returns the paths of all that was deleted, the
// node first. `hierarchy` reads the store as it is now, without consolidated metadata. Descriptions
// go before what they describe, so that a process that ends leaves nothing that is listed and gone.
Result<std::vector<std::string>> DeleteWithBelongings(HierarchyWriter& writer,
                                                      const Hierarchy& hierarchy,
                                                      const std::string& path,
                                                      const DeletionScope& scope = {});

// Gives a node another name in its group; an array with what belongs to it: its overviews get the
// name, too, and its mask and grid mapping where their names were made of its own. Returns what was
// renamed, from and to.
using Renamed = std::vector<std::pair<std::string, std::string>>;
Result<Renamed> RenameWithBelongings(HierarchyWriter& writer, const Hierarchy& hierarchy,
                                     const std::string& path, const std::string& new_name);

}  // namespace zarr
