// SPDX-License-Identifier: MIT
// The statements of a group that hold for an array in it, and those that place an array.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/multiscales.h"

namespace zarr {

// True where the CRS that the group of an array states is the array's: where the array has the
// dimensions that `spatial:dimensions` of the array or its group name, or without that attribute a
// role X and a role Y. An array without such roles has the CRS only where no array beside it has
// them. Names that the store does not give contradict nothing.
bool SharesGroupCrs(const Hierarchy& hierarchy, const ArrayFacts& facts);

// True where the geotransform that the group of an array states is the array's: SharesGroupCrs(),
// and the array has the size that the group means. That is its `spatial:shape`, else the one that
// its `spatial:bbox` gives with the transform, else the size of the largest array with these
// dimensions that states no transform of its own. Reads the documents of the arrays beside it only
// for the last. Adds a line to `warnings` where the store does not tell the arrays beside it,
// unless the array states its `spatial:shape`.
bool SharesGroupTransform(const Hierarchy& hierarchy, const ArrayFacts& facts, Warnings& warnings);

// The height and width, "40 x 60", of the raster that the transform of a convention ("spatial:" or
// "proj:") in `attributes` is for, as `shape` says, or `bbox` in pixels of the transform. Empty
// where they say nothing, or the size of the array, which has axes X and Y.
std::string OtherSizeOf(const json::Value& attributes, const std::string& convention,
                        const ArrayFacts& facts);

// Text of everything that an array states of its place, and the levels of a pyramid for it. Two
// arrays of one group that have the same text and the same named sizes lie in one place; others may
// do, too.
std::string PlacingStatements(const json::Value& attributes,
                              const std::vector<NamedDimension>& dimensions,
                              const Hierarchy& hierarchy, const std::string& path);

}  // namespace zarr
