// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Finds the indices that a selection fixes: "time=2020-07-01,z=2", a text of name=value with commas
// between, as the open option SELECT and names of arrays have it. A value is an index, from 0; or
// the value of a coordinate, as stored or as bands show it (850, 2020-07-01T12:00:00Z, red); or the
// beginning of a time (2020-07-01, 2020-07), which only one coordinate has. A whole number is an
// index where the dimension has so many elements, unless that is written as 850.0.
//
// Returns the index along each of `axes`, nullopt where it is not fixed. Reads the coordinates of
// the dimensions that are named. Fails where a dimension does not exist, is X or Y, or is named
// twice, or where none or several of its coordinates have the value; the error lists near ones.
zarr::Result<std::vector<std::optional<std::uint64_t>>> FindSelected(
    const zarr::Hierarchy& hierarchy, const zarr::ArrayFacts& facts,
    const std::vector<std::size_t>& axes, const std::string& selection);

}  // namespace zarr_driver
