// SPDX-License-Identifier: MIT
// Reads and writes the description of overviews that were built for an existing array. The
// description is the attribute `multiscales` of the array's group. In Zarr v2, `multiscales` is a
// list; an entry has `datasets` of OME-NGFF 0.4 and `layout` of zarr-conventions. Otherwise
// `multiscales` is the layout of GDAL 3.13, see overview_layout.h.
//
// The description only adds smaller levels to an array. It does not change how the group is opened,
// the georeferencing, or dimension names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/dimensions.h"
#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "core/metadata/documents.h"

namespace zarr {

// Returns the OME type of an axis: "space", "time" or "channel".
std::string_view OmeType(AxisRole role);

struct OverviewAxis {
    std::string name;
    AxisRole role = AxisRole::kNone;
};

// An array, or one of its overviews.
struct OverviewLevel {
    std::string path;                  // relative to the group
    std::vector<std::uint64_t> shape;  // elements along each axis
    std::string method;                // resampling method; empty for the array itself
    // Members of the entry with the prefix `spatial:`, only for kLevelGroups; may be empty.
    json::Object place = {};
};

// Returns the entry of `multiscales` that describes `levels`: the array first, then its overviews,
// largest first. Transformations in the entry count elements of the array, and refer to centres of
// elements.
json::Value DescribeOverviews(const std::vector<OverviewAxis>& axes,
                              const std::vector<OverviewLevel>& levels);

// True if `multiscale` describes overviews. `multiscale` is the value of the attribute
// `multiscales`, or one entry if that value is a list.
bool IsOverviews(const json::Value& multiscale);

// Returns the member `metadata` of an entry, which marks the entry as a description of overviews.
json::Object OverviewsMark(std::string_view base);

// True if an entry with `datasets` describes the overviews of the array `base`, a path relative to
// the group.
bool IsOverviewsOf(const json::Value& entry, std::string_view base);

// Returns the entry for the array `base`, a path relative to the group; nullptr if no entry exists.
// The pointer is valid as long as `group_attributes`.
const json::Value* FindOverviews(const json::Value& group_attributes, std::string_view base);

// Returns the overviews that an entry lists, without the array. Shapes are empty, because the entry
// does not state them.
std::vector<OverviewLevel> ListOverviews(const json::Value& entry);

// The form of a group's description of overviews: a list of entries, one layout for the group, or
// a layout of level groups, see overview_layout.h.
enum class OverviewStyle : std::uint8_t { kList, kLayout, kLevelGroups };
// Returns the style in which a group describes overviews of arrays in the group itself: kList or
// kLayout.
OverviewStyle OverviewStyleOf(const json::Value& group_attributes, Format format);

// The group whose `multiscales` describes overviews of an array, and the form of the description.
struct OverviewListing {
    std::string group;
    OverviewStyle style = OverviewStyle::kList;
};

// Returns the group whose attributes describe the overviews of an array: the group of the array or,
// for kLevelGroups, the parent of that group.
OverviewListing ListingOfOverviews(const Hierarchy& hierarchy, const std::string& array_path);

// Returns the overviews of the array `base`, a path relative to the group, in any style. The
// shapes in the result are empty.
std::vector<OverviewLevel> OverviewsOf(const json::Value& group_attributes, std::string_view base);

// Replaces the description of an array's overviews. `levels` has the array first, then its
// overviews. If `levels` has only the array, the description is removed. In the style
// kLevelGroups the array's entry stays, because it selects this style for later overviews.
//
// Returns kUnsupported if `multiscales` describes anything but overviews. Returns kLimit if readers
// would ignore the description because of its length.
Status DescribeOverviewsIn(json::Object& group_attributes, OverviewStyle style,
                           const std::vector<OverviewAxis>& axes,
                           const std::vector<OverviewLevel>& levels);

// Renames the array `base`, such as "0/dem", in a description of kLevelGroups. An empty `new_name`
// removes the array from the description.
void RenameInDescription(json::Object& group_attributes, std::string_view base,
                         std::string_view new_name);

// Returns the paths, relative to the group, of the overviews of all arrays.
std::vector<std::string> AllOverviewPaths(const json::Value& group_attributes);

// Replaces the entry for the array `base` in the list `multiscales`, or appends `entry`. If `entry`
// is null, removes the array's entry, and `multiscales` if no entry remains. Entries of other
// arrays are kept. Returns kUnsupported if `multiscales` is not a list. Returns kLimit if readers
// would ignore the list because of its length.
Status PutOverviews(json::Object& group_attributes, std::string_view base, json::Value entry);

// Prefix of the names of overview groups for OverviewStyle::kList. For kLayout, the name is an
// OverviewGroupName(). For kLevelGroups, the name is a LevelGroupName().
//
// An attribute marks overview groups. If `multiscales` has no entry for the array of a marked
// group, the group is left over from an interrupted build of overviews.
inline constexpr std::string_view kOverviewsGroup = "overviews";
bool MayBeOverviewsGroup(std::string_view name);
json::Object OverviewsGroupAttributes();
bool IsOverviewsGroup(const json::Value& attributes);

}  // namespace zarr
