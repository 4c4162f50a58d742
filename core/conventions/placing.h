// SPDX-License-Identifier: MIT
// Statements of a group that apply to an array in the group, and statements that locate an array.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/conventions/dimensions.h"
#include "core/conventions/multiscales.h"

namespace zarr {

// True if the CRS that an array's group states applies to the array. With `spatial:dimensions` in
// the array or group, the array must have those dimensions. Without that attribute, the array must
// have an X role and a Y role, or no other array in the group may have them. An array without
// dimension names always shares the CRS.
bool SharesGroupCrs(const Hierarchy& hierarchy, const ArrayFacts& facts);

// True if the geotransform that an array's group states applies to the array: SharesGroupCrs(), and
// the array has the size that the group means. That size is the group's `spatial:shape`, else its
// `spatial:bbox` in pixels of the transform. Without both, no larger array with these dimensions
// and without its own transform may exist in the group.
// The last check reads documents of the group's other arrays. A warning tells if the store does not
// list the group and the array does not state `spatial:shape`.
bool SharesGroupTransform(const Hierarchy& hierarchy, const ArrayFacts& facts, Warnings& warnings);

// Returns the raster size, height and width as "40 x 60", that a transform is for, if the array has
// another size. The size comes from the `shape` or `bbox` of a convention ("spatial:" or "proj:")
// in `attributes`. Empty if no size is stated or the array has that size. The array must have X and
// Y.
std::string MismatchedSize(const json::Value& attributes, const std::string& convention,
                           const ArrayFacts& facts);

// Returns a text of all statements about an array's location, including its entries in pyramids.
// Two arrays of a group with equal text and equal named sizes have one location. Arrays with
// different texts may also have one location.
std::string LocationStatements(const json::Value& attributes,
                               const std::vector<NamedDimension>& dimensions,
                               const Hierarchy& hierarchy, const std::string& path);

}  // namespace zarr
