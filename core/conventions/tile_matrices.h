// SPDX-License-Identifier: MIT
// Finds pyramids of GeoZarr 0.4. Attribute `multiscales` of a data array names a tile matrix set
// (OGC Two Dimensional Tile Matrix Set). Groups whose names are the identifiers of the tile
// matrices contain the array's levels.
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
// `multiscales` has neither, for example if `multiscales` only names a well-known set. `origin`
// names `multiscales` in messages.
std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings);

// Returns the levels that an array's attributes describe, as arrays. The groups of the levels are
// siblings of the array's group, or else subgroups of the array's group. If the attributes contain
// no identifiers of tile matrices, all groups with an array of the same name are levels. Returns
// nullopt if `multiscales` is absent or invalid.
std::optional<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy,
                                              const std::string& array_path,
                                              const json::Value& array_attributes,
                                              Warnings& warnings);

// Returns the pyramids whose levels are in direct subgroups of `group`, one for each array name,
// sorted by name. Arrays in `group` or in direct subgroups describe the pyramids.
std::vector<ListedPyramid> FindTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            Warnings& warnings);

// Returns the pyramid that lists the array as a level. The pyramid is described by an array of the
// same name, in the grandparent group or in a sibling of the parent group. Returns nullopt if no
// such array exists.
std::optional<ListedPyramid> FindTileMatricesOf(const Hierarchy& hierarchy,
                                                const std::string& array_path, Warnings& warnings);

}  // namespace zarr
