// SPDX-License-Identifier: MIT
// Reads the attribute `multiscales` of GeoZarr 0.4, which names an OGC tile matrix set.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/json/value.h"

namespace zarr {

// True if `multiscales` has the form of GeoZarr 0.4, an object that names a tile matrix set.
bool IsTileMatrixPyramid(const json::Value& multiscales);

// Returns the identifiers of the tile matrices that have data: the keys of `tile_matrix_limits` or
// `tile_matrix_set_limits`, else the identifiers in an inline tile matrix set. Empty if
// `multiscales` has neither. `origin` names `multiscales` in messages.
std::vector<std::string> TileMatrixIds(const json::Value& multiscales, const std::string& origin,
                                       Warnings& warnings);

}  // namespace zarr
