// SPDX-License-Identifier: MIT
// Finds pyramids of GeoZarr 0.4. The attribute `multiscales` of an array names an OGC tile matrix
// set. The array's levels are in groups named after the identifiers of the tile matrices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/pyramid.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// True if `multiscales` has the form of GeoZarr 0.4, an object that names a tile matrix set.
bool IsTileMatrixPyramid(const json::Value& multiscales);

// Returns the identifiers of the tile matrices that have data: the keys of `tile_matrix_limits` or
// `tile_matrix_set_limits`, else the identifiers in an inline tile matrix set. Empty if
// `multiscales` has neither. `origin` names `multiscales` in messages.
std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings);

// Returns the levels that an array's attributes describe, as arrays; nullopt if `multiscales` is
// absent or invalid. The levels' groups are siblings of the array's group, or else its subgroups.
// If the attributes name no tile matrices, every such group with an array of the same name is a
// level.
std::optional<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy,
                                              const std::string& array_path,
                                              const json::Value& array_attributes,
                                              Warnings& warnings);

// Returns the pyramids whose levels are in direct subgroups of `group`, one for each array name,
// sorted by name. Arrays in `group` or in direct subgroups describe the pyramids.
std::vector<ListedPyramid> FindTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            Warnings& warnings);

// Returns the pyramid that lists the array as a level, or nullopt. An array of the same name, in
// the grandparent group or a sibling of the parent group, describes the pyramid.
std::optional<ListedPyramid> FindTileMatricesOf(const Hierarchy& hierarchy,
                                                const std::string& array_path, Warnings& warnings);

}  // namespace zarr
