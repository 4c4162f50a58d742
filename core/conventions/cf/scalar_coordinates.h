// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "core/conventions/facts/array_facts.h"

namespace zarr {

// Returns the scalars that the attribute `coordinates` of an array, else of its group, names: the
// time, level or height of the whole array. Each is a dimension of size 1 with its coordinate
// array. Grid mappings, horizontal coordinates, and dimensions of the array are left out. Returns
// at most 64 scalars.
std::vector<Dimension> ScalarCoordinates(const Hierarchy& hierarchy, const ArrayFacts& facts);

}  // namespace zarr
