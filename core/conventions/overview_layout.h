// SPDX-License-Identifier: MIT
// Overviews as the `multiscales` of zarr-conventions describe them, in the way of GDAL 3.13: a
// `layout` of the array, or of its group, and of groups beside it, ovr_2x and so on, that hold the
// smaller arrays under the same names:
//
//     {"layout": [{"asset": "dem", ...}, {"asset": "ovr_2x", "derived_from": "dem", ...}]}
//
// The convention has one description for a group. Where several of its arrays have overviews, the
// first asset is the group, ".", and each level says in `gdal_arrays` of which.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/overviews.h"
#include "core/json/value.h"

namespace zarr {

// True for a `multiscales` that describes nothing else than overviews.
bool IsOverviewLayout(const json::Value& multiscale);

// The overviews of the array `base`, from the largest on, without shapes.
std::vector<OverviewLevel> OverviewsInLayout(const json::Value& multiscale, std::string_view base);

// The paths, from the group, of the overviews of every array.
std::vector<std::string> OverviewPathsInLayout(const json::Value& multiscale);

// Puts the overviews of levels[0], an array of the group, in place of those that it has; none where
// that is the only level. Each lies in a group of its own. `multiscale` is null where there is no
// description yet, and becomes null where it would list nothing. kLimit where readers would not
// look at so many.
Status PutInLayout(json::Value& multiscale, const std::vector<OverviewLevel>& levels);

// The name of the group for overviews of a factor, and whether a name is one. `turn` counts from 1
// where several are needed.
std::string OverviewGroupName(int factor, int turn);
bool IsOverviewGroupName(std::string_view name);

}  // namespace zarr
