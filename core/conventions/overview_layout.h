// SPDX-License-Identifier: MIT
// Reads and writes overviews in `multiscales` of zarr-conventions, in the form that GDAL 3.13
// writes. A `layout` lists the array or its group first, then groups beside the array (ovr_2x and
// so on). These groups contain the smaller arrays under the array's name:
//
// {"layout": [{"asset": "dem", ...}, {"asset": "ovr_2x", "derived_from": "dem", ...}]}
//
// The convention allows one description for a group. If several arrays have overviews, the first
// asset is the group, ".". Each level then lists its arrays in `gdal_arrays`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/overviews.h"
#include "core/json/value.h"

namespace zarr {

// True if a `multiscales` describes only overviews.
bool IsOverviewLayout(const json::Value& multiscale);

// Returns the overviews of the array `base`, largest first. The shapes in the result are empty.
std::vector<OverviewLevel> OverviewsInLayout(const json::Value& multiscale, std::string_view base);

// Returns the paths, relative to the group, of the overviews of all arrays.
std::vector<std::string> OverviewPathsInLayout(const json::Value& multiscale);

// Replaces the described overviews of the array levels[0] by the other `levels`. If there are no
// others, the array's description is removed. Each overview must be in its own group. `multiscale`
// is null if there is no description yet, and becomes null if the description becomes empty.
// Returns kLimit if the description exceeds kMaxPyramidLevels.
Status PutInLayout(json::Value& multiscale, const std::vector<OverviewLevel>& levels);

// Returns the name of the group for overviews of a factor. If one factor needs several groups,
// `turn` numbers them from 1. IsOverviewGroupName() is true for such names.
std::string OverviewGroupName(int factor, int turn);
bool IsOverviewGroupName(std::string_view name);

}  // namespace zarr
