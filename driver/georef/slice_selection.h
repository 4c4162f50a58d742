// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/facts/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Returns the index along each of `axes` that a selection fixes; nullopt if the axis is not fixed.
// A selection is a text such as "time=2020-07-01,z=2", as in the open option SELECT and in array
// names. A value is one of:
// - an index from 0;
// - a coordinate as stored or as shown for bands (850, 2020-07-01T12:00:00Z, red);
// - the beginning of a time (2020-07-01, 2020-07) that matches exactly one coordinate.
// A whole number below the dimension's size is an index; 850.0 is always a coordinate. Coordinates
// of the named dimensions are read.
//
// Returns an error if a dimension does not exist, is X or Y, or is named twice, or if a value
// matches no coordinate or several.
zarr::Result<std::vector<std::optional<std::uint64_t>>> FindSelected(
    const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
    const std::vector<std::size_t>& axes, const std::string& selection);

}  // namespace zarr_driver
