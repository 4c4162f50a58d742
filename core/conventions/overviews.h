// SPDX-License-Identifier: MIT
// Overviews that were built for an array that was there before, as the group around it describes
// them in `multiscales`. In a list of these, which Zarr v2 has, it is an entry with the `datasets`
// of OME-NGFF 0.4 and the `layout` of zarr-conventions; else `multiscales` is the layout of GDAL
// 3.13, see overview_layout.h. Unlike other multiscales these add smaller levels to an array and
// say nothing else of it: neither what the group is opened as, nor where the array lies, nor what
// its dimensions are called.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/dimensions.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

struct OverviewAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
};

// The array, or one of its overviews.
struct OverviewLevel {
    std::string path;                  // from the group
    std::vector<std::uint64_t> shape;  // elements along each axis
    std::string method;                // of resampling; empty for the array itself
};

// The entry that describes `levels`: the array first, then its overviews from the largest on.
// Transformations are in elements of the array, from centre to centre.
json::Value DescribeOverviews(const std::vector<OverviewAxis>& axes,
                              const std::vector<OverviewLevel>& levels);

// True for `multiscales`, or an entry of them, that describe overviews.
bool IsOverviews(const json::Value& multiscale);

// The entry for the array `base`, a path from the group; nullptr where there is none. Borrows.
const json::Value* FindOverviews(const json::Value& group_attributes, std::string_view base);

// The overviews that an entry lists, without the array; their shapes are not in it.
std::vector<OverviewLevel> ListOverviews(const json::Value& entry);

// How the overviews of a group are described, or are to be where there are none yet.
enum class OverviewStyle : std::uint8_t { kList, kLayout };
OverviewStyle OverviewStyleOf(const json::Value& group_attributes, Format format);

// The overviews of the array `base`, a path from the group, in either style and without shapes.
std::vector<OverviewLevel> OverviewsOf(const json::Value& group_attributes, std::string_view base);

// Describes `levels`, the array first, in place of what was said of it; the array alone has no
// overviews. Fails as PutOverviews() does, which is for lists.
Status DescribeOverviewsIn(json::Object& group_attributes, OverviewStyle style,
                           const std::vector<OverviewAxis>& axes,
                           const std::vector<OverviewLevel>& levels);

// The paths, from the group, of the overviews of every array.
std::vector<std::string> AllOverviewPaths(const json::Value& group_attributes);

// Puts `entry` in place of the one for `base`, or behind all others; null takes it away, and
// `multiscales` where nothing is left in it. Entries of others are kept. kUnsupported where
// `multiscales` is something else than a list, kLimit where readers would not look at so many.
Status PutOverviews(json::Object& group_attributes, std::string_view base, json::Value entry);

// A group that holds nothing but overviews says so in its attributes: what in it is not listed was
// left by a process that ended while it built them. In the style of lists its name starts with
// this, in that of layouts it is an OverviewGroupName().
inline constexpr std::string_view kOverviewsGroup = "overviews";
bool MayBeOverviewsGroup(std::string_view name);
json::Object OverviewsGroupAttributes();
bool IsOverviewsGroup(const json::Value& attributes);

}  // namespace zarr
