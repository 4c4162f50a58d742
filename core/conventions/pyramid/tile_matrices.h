// SPDX-License-Identifier: MIT
// Finds pyramids of GeoZarr 0.4. The attribute `multiscales` of an array names an OGC tile matrix
// set. The array's levels are in groups named after the identifiers of the tile matrices.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/pyramid/level_checker.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Returns the pyramids whose levels are in direct subgroups of `group`, one for each array name,
// sorted by name. Arrays in `group` or in direct subgroups describe the pyramids. With `holding`,
// the path of an array, only arrays of its name are read, and only a pyramid that lists it is
// returned. An array whose `multiscales` is invalid gives a warning.
//
// The groups of an array's levels are siblings of the array's group, or else its subgroups. If the
// attribute names no tile matrices, every such group with an array of the same name is a level.
std::vector<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            const std::string& holding, Warnings& warnings);

}  // namespace zarr
