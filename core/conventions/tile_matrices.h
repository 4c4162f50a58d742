// SPDX-License-Identifier: MIT
// Pyramids of GeoZarr 0.4: `multiscales` of a data array name a tile matrix set (OGC Two
// Dimensional Tile Matrix Set), and groups named by its tile matrices hold the array's levels.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/pyramid.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// True where a `multiscales` object is GeoZarr's.
bool IsTileMatrixPyramid(const json::Value& multiscales);

// The identifiers of the tile matrices that have data: the keys of `tile_matrix_limits` or
// `tile_matrix_set_limits`, else those that an inline tile matrix set lists. Empty where there are
// neither, as for the name of a well-known set.
std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings);

// The levels, as arrays, that `array_attributes` give the array. The groups lie beside the array's
// own, else in it. Without identifiers they are the groups beside the array's own that hold an
// array of its name. nullopt where the attributes have no `multiscales`, or broken ones.
std::optional<ListedPyramid> ListTileMatrices(const Hierarchy& hierarchy,
                                              const std::string& array_path,
                                              const json::Value& array_attributes,
                                              Warnings& warnings);

// The pyramids that arrays in `group`, or in groups directly in it, describe and whose levels lie
// in groups directly in it: one for each name of an array, in the order of the names.
std::vector<ListedPyramid> FindTileMatrices(const Hierarchy& hierarchy, const std::string& group,
                                            Warnings& warnings);

// The pyramid with the array as a level that an array of its name describes, in the group above its
// own or in another group there.
std::optional<ListedPyramid> FindTileMatricesOf(const Hierarchy& hierarchy,
                                                const std::string& array_path, Warnings& warnings);

}  // namespace zarr
