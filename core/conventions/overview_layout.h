// SPDX-License-Identifier: MIT
// Reads and writes overviews in `multiscales` of zarr-conventions, in the form that GDAL 3.13
// writes. A `layout` lists the array or its group first, then groups in the array's group (ovr_2x
// and so on). These groups contain the smaller arrays under the array's name:
//
// {"layout": [{"asset": "dem", ...}, {"asset": "ovr_2x", "derived_from": "dem", ...}]}
//
// In another form all levels are groups, so that xarray can open the store as a tree. The first
// entry is then the group of the arrays themselves, and the description is in its parent group:
//
// {"layout": [{"asset": "0", "gdal_arrays": ["dem"], ...},
//             {"asset": "1", "derived_from": "0", "gdal_arrays": ["dem"], ...}]}
//
// The convention allows one description for a group. If several arrays have overviews, the first
// asset is the group, ".". Each level then lists its arrays in `gdal_arrays`. In the form with
// level groups, each level always has `gdal_arrays`, which distinguishes this form from pyramids of
// other programs. If the overviews of some of these arrays have another resampling method than
// those of the first array, `gdal_methods` is an object with their names and methods.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/overviews.h"
#include "core/json/value.h"

namespace zarr {

// True if a `multiscales` describes only overviews of arrays in its own group.
bool IsOverviewLayout(const json::Value& multiscale);

// True if a `multiscales` has the form with level groups, and `base_group` is the group of the
// largest level, which contains the arrays themselves.
bool IsLevelGroupLayout(const json::Value& multiscale, std::string_view base_group);

// Returns the resampling methods that the entry of a level states for single arrays, by the names
// of the arrays. Other arrays have the method that the entry states for the level.
std::map<std::string, std::string> MethodsOfArrays(const json::Value& entry);

// Returns the overviews of the array `base`, largest first. In the form with level groups, `base`
// is a path with the level group, such as "0/dem". The shapes in the result are empty.
std::vector<OverviewLevel> OverviewsInLayout(const json::Value& multiscale, std::string_view base);

// Returns the paths, relative to the group, of the overviews of all arrays.
std::vector<std::string> OverviewPathsInLayout(const json::Value& multiscale);

// Replaces the overviews that the layout describes for the array levels[0] by levels[1], levels[2]
// and so on. If levels[0] is the only level, removes the array's description. Each overview must be
// in a separate group. Returns kLimit if the description exceeds kMaxPyramidLevels.
//
// `multiscale` is null if no description exists yet, and becomes null if the description becomes
// empty. If levels[0].path contains a group, the layout gets the form with level groups. This form
// keeps the entry of the array itself even without overviews.
Status PutInLayout(json::Value& multiscale, const std::vector<OverviewLevel>& levels);

// Renames the array `base` in a `multiscale` of the form with level groups. An empty `new_name`
// removes the array; `multiscale` becomes null if no array remains. A `multiscale` of any other
// form is left unchanged.
void RenameInLayout(json::Value& multiscale, std::string_view base, std::string_view new_name);

// Returns the name of the group for overviews with the reduction factor `factor`. If one factor
// needs several groups, `number` counts them from 1. IsOverviewGroupName() is true for these names.
std::string OverviewGroupName(int factor, int number);
// Returns the name of the level group for overviews with the reduction factor `factor`. For a power
// of two, the name is the number of the level.
std::string LevelGroupName(int factor, int number);
bool IsOverviewGroupName(std::string_view name);

}  // namespace zarr
