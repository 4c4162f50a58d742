// SPDX-License-Identifier: MIT
// Recognises arrays of cells that are not in rows and columns.
#pragma once

#include <string>

#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Returns the kind of grid to which the cells of an array belong, for messages: "a HEALPix grid",
// "a discrete global grid" or "an unstructured mesh". X or Y is then the number of a cell, which is
// no position. Returns an empty text for rasters, and for arrays without X.
//
// The statements are `grid_mapping_name` "healpix", `dggs` or `cell_ids` (HEALPix and DGGS), `mesh`
// with `location` (UGRID), CDI's attributes (ICON), and dimensions of numbered cells.
std::string CellGridOf(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr
