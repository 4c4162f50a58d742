// SPDX-License-Identifier: MIT
// Pyramids of GeoZarr 0.4: `multiscales` of a data array name a tile matrix set (OGC Two
// Dimensional Tile Matrix Set). Groups with the identifiers of the tile matrices hold the array's
// levels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/pyramid.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// True if `multiscales` is an object of GeoZarr 0.4.
bool IsTileMatrixPyramid(const json::Value& multiscales);

// Returns the identifiers of the tile matrices with data: keys of `tile_matrix_limits` or
// `tile_matrix_set_limits`, else identifiers in an inline tile matrix set. Empty if there are
// neither, for example for a well-known set, which is given by name. `origin` names `multiscales`
// in messages.
std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings);

// Returns the levels that an array's attributes describe, as arrays. The groups of the levels are
// siblings of the array's group, else inside that group. Without identifiers, the levels are the
// groups that hold an array with the array's name. nullopt if `multiscales` is absent or invalid.
std::optional<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy,
                                              const std::string& array_path,
                                              const json::Value& array_attributes,
                                              Warnings& warnings);

// Returns the pyramids whose levels are in direct subgroups of `group`. Arrays in `group` or in
// direct subgroups describe them. One pyramid for each array name, sorted by name.
std::vector<ListedPyramid> FindTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            Warnings& warnings);

// Returns the pyramid that lists the array as a level. Another array with the array's name
// describes the pyramid, in the grandparent group or in a sibling of the parent group. nullopt if
// none does.
std::optional<ListedPyramid> FindTileMatricesOf(const Hierarchy& hierarchy,
                                                const std::string& array_path, Warnings& warnings);

}  // namespace zarr
