// SPDX-License-Identifier: MIT
// Decides which statements of a group apply to an array in the group, and compares statements that
// locate arrays.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/facts/array_facts.h"
#include "core/conventions/facts/dimensions.h"

namespace zarr {

// True if the CRS that an array's group states applies to the array. If the array or group states
// `spatial:dimensions`, the array must have these dimensions. Otherwise the array must have a
// dimension of role X and a dimension of role Y. If no array in the group has both dimensions, the
// CRS applies to all arrays. An array without dimension names always shares the CRS.
bool SharesGroupCrs(const Hierarchy& hierarchy, const ArrayFacts& facts);

// True if the geotransform that an array's group states applies to the array. SharesGroupCrs() must
// be true, and the array must have the size that the group means: the group's `spatial:shape`, else
// its `spatial:bbox` in pixels of the transform. If the group states neither attribute, it must
// contain no larger array with the same X and Y and without its own transform.
//
// The search for a larger array reads documents of the group's arrays. Warns if the store does not
// list the group and the array does not state `spatial:shape`.
bool SharesGroupTransform(const Hierarchy& hierarchy, const ArrayFacts& facts, Warnings& warnings);

// Returns the raster size that a transform is for, such as "40 x 60" (height, width), if the array
// has another size. The size comes from the `shape` or `bbox` of a convention ("spatial:" or
// "proj:") in `attributes`. Empty if no size is stated or the array has that size. The array must
// have X and Y.
std::string MismatchedSize(const json::Value& attributes, const std::string& convention,
                           const ArrayFacts& facts);
// True if `attributes` state the raster size of the transform of a convention ("spatial:" or
// "proj:"), by its shape or its bounding box.
bool StatesSize(const json::Value& attributes, const std::string& convention);

// True if the attributes hold a supported transform and state its raster size. In a remote store,
// such a transform is not compared with the coordinates.
bool StatesSizedTransform(const json::Value& attributes);

// Returns a text of all statements about an array's location, including the entries of pyramids
// that list the array. Two arrays of a group share a location if their texts are equal, and their
// dimensions have equal names and sizes. Arrays with different texts may also share a location.
std::string LocationStatements(const json::Value& attributes,
                               const std::vector<NamedDimension>& dimensions,
                               const Hierarchy& hierarchy, const std::string& path);

}  // namespace zarr
