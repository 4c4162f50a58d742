// SPDX-License-Identifier: MIT
// Companions of an array: its overviews, and arrays of its group that only this array refers to,
// such as mask, grid mapping, coordinates and bounds. Companions are deleted and renamed with the
// array. Otherwise a later array with the old name would get these companions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"

namespace zarr {

// Options of DeleteWithCompanions().
struct DeletionScope {
    std::string group;  // only arrays in and below this group are searched for references
    // True to keep the coordinate arrays of the deleted array's dimensions. Coordinate arrays whose
    // names contain the array's name, such as x_NAME, are deleted like other companions.
    bool keeps_dimensions = false;
};

// Deletes a node. If the node is an array, deletes its companions, too. Returns the paths of all
// deleted nodes, `path` first. `hierarchy` must not use consolidated metadata.
//
// The attributes that describe an overview are changed before the overview is deleted. If the
// process ends during the deletion, no attribute describes a missing overview.
Result<std::vector<std::string>> DeleteWithCompanions(HierarchyWriter& writer,
                                                      const Hierarchy& hierarchy,
                                                      const std::string& path,
                                                      const DeletionScope& scope = {});

// Renames a node within its group. If the node is an array, its overviews are renamed, too. Its
// mask and grid mapping are renamed if their names contain the array's name. Returns the pairs of
// old and new path.
using Renamed = std::vector<std::pair<std::string, std::string>>;
Result<Renamed> RenameWithCompanions(HierarchyWriter& writer, const Hierarchy& hierarchy,
                                     const std::string& path, const std::string& new_name);

}  // namespace zarr
