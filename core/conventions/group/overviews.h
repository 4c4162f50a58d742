// SPDX-License-Identifier: MIT
// Reads and writes the description of overviews that were built for existing arrays, in the form
// that GDAL 3.13 writes: the attribute `multiscales` of zarr-conventions in the arrays' group. A
// `layout` lists the array or its group first, then groups in the array's group (ovr_2x and so on).
// These groups contain the smaller arrays under the array's name:
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
//
// OME-NGFF 0.4 stores a list as `multiscales`. The entry of an image then also has the `layout`.
// Earlier releases wrote lists into stores of Zarr v2, with an entry for each array whose assets
// are arrays in groups such as overviews/2. The entries are marked by their member `metadata`.
// These lists are read, and become one layout when the overviews change. As long as this layout
// lists a group such as overviews/2, it keeps the mark, because other programs use such names, too.
// A layout that is an entry of a list without an image has the mark, too.
//
// The description only adds smaller levels to an array. It does not change how the group is opened,
// the georeferencing, or dimension names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/json/value.h"

namespace zarr {

// An array, or one of its overviews.
struct OverviewLevel {
    std::string path;                  // relative to the group with the description
    std::vector<std::uint64_t> shape;  // elements along each axis
    std::string method;                // resampling method; empty for the array itself
    // Members of the level's entry with the prefix `spatial:`, only for level groups; may be empty.
    json::Object place = {};
};

// The group whose `multiscales` describes overviews of an array.
struct OverviewListing {
    std::string group;
    bool has_level_groups = false;  // true if each level is a group in `group`
};

// Returns the group whose attributes describe the overviews of an array: the group of the array or,
// if the levels are groups, the parent of that group.
OverviewListing ListingOfOverviews(const Hierarchy& hierarchy, const std::string& array_path);

// Returns the overviews of the array `base`, a path relative to the group, largest first. The
// shapes in the result are empty.
std::vector<OverviewLevel> OverviewsOf(const json::Value& group_attributes, std::string_view base);

// Returns the paths, relative to the group, of the overviews of all arrays, and of all levels that
// a `layout` of another program lists. Returns kLimit if the description is too long to be read.
Result<std::vector<std::string>> AllOverviewPaths(const json::Value& group_attributes);

// Replaces the description of an array's overviews. `levels` has the array first, then its
// overviews, each in a separate group. If `levels` has only the array, the description is removed.
// If levels[0].path contains a group, the levels are described as groups, and the array's entry
// stays, because it selects this form for later overviews.
//
// Returns kUnsupported if `multiscales` describes anything but overviews. Returns kLimit if readers
// would ignore the description because of its length; a description that gets shorter never is too
// long.
Status DescribeOverviewsIn(json::Object& group_attributes,
                           const std::vector<OverviewLevel>& levels);

// Renames the array `base`, such as "dem" or "0/dem", in the description of overviews and in the
// image that PROFILE=OME has written for it. An empty `new_name` removes the array. An array that
// is described under the new name is removed, too. Changes nothing if `base` is not described.
void RenameInDescription(json::Object& group_attributes, std::string_view base,
                         std::string_view new_name);

// True if `multiscale` describes nothing but overviews of arrays in its own group. `multiscale` is
// the value of the attribute `multiscales`, or one entry if that value is a list.
bool IsOverviews(const json::Value& multiscale);

// An overview that an entry of a `layout` lists.
struct ListedOverview {
    std::size_t entry = 0;  // index in the layout, from 1
    std::string path;       // relative to the group
};

// Returns the overviews that the `layout` of `multiscale` lists, by the names of their arrays.
// Empty if the layout does not only describe overviews of arrays in its own group.
std::map<std::string, std::vector<ListedOverview>> ListOverviews(const json::Value& multiscale);

// Returns the resampling methods that the entry of a level states for single arrays, by the names
// of the arrays. Other arrays have the method that the entry states for the level.
std::map<std::string, std::string> MethodsOfArrays(const json::Value& entry);

// Returns the member `metadata` of the OME-NGFF image that PROFILE=OME writes for the array `base`.
// The member marks the image as a description of overviews.
json::Object ImageMark(std::string_view base);

// True if an entry is the image that PROFILE=OME has written for the array `base`, a path relative
// to the group.
bool IsImageOf(const json::Value& entry, std::string_view base);

// Replaces the image of the array `base` in the list `multiscales`, or appends it. A description of
// overviews moves into the list. Returns kUnsupported if `multiscales` describes anything but
// overviews and is not a list.
Status PutImage(json::Object& group_attributes, std::string_view base, json::Object image);

// Returns the name of the group for overviews with the reduction factor `factor`. If one factor
// needs several groups, `number` counts them from 1. IsOverviewGroupName() is true for these names.
std::string OverviewGroupName(int factor, int number);
bool IsOverviewGroupName(std::string_view name);
// Returns the name of the level group for overviews with the reduction factor `factor`. For a power
// of two, the name is the number of the level. IsLevelGroupName() is true for these names.
std::string LevelGroupName(int factor, int number);
bool IsLevelGroupName(std::string_view name);
// True for the name of a group in which earlier releases stored the groups of overviews, such as
// "overviews". IsLevelGroupName() is true for the names of these groups.
bool IsOverviewContainerName(std::string_view name);

// The attributes of a group that contains only overviews. If `multiscales` lists no array of such a
// group, the group is left over from an interrupted build of overviews.
json::Object OverviewsGroupAttributes();
bool IsOverviewsGroup(const json::Value& attributes);

// Whether a search visits groups that contain only overviews; see IsForOverviews().
enum class OverviewGroups { kIncluded, kSkipped };

// True if the group at `path` is marked as one that contains only overviews.
bool IsForOverviews(const Hierarchy& hierarchy, const std::string& path);

// True if the array at `path`, a path from the root, is in a group that contains only overviews of
// arrays in `listing`. Only arrays in such a group may be deleted as overviews.
bool IsInOverviewGroup(const Hierarchy& hierarchy, const OverviewListing& listing,
                       const std::string& path);

// True if the description lists an overview in the group at `path`, or cannot be read.
bool ListsOverviewsIn(const Hierarchy& hierarchy, const OverviewListing& listing,
                      const std::string& path);

// True if the group of overviews at `path` is marked, or is in a marked group "overviews" of an
// earlier release. Other programs do not mark their groups, which may hold other arrays, too.
bool HoldsOnlyOverviews(const Hierarchy& hierarchy, const OverviewListing& listing,
                        const std::string& path);

// Removes the group of overviews at `path` unless ListsOverviewsIn() is true for it. Keeps a group
// with members unless HoldsOnlyOverviews() is true for it. Then removes the group "overviews" of an
// earlier release if that was its last group.
Status RemoveOverviewGroup(HierarchyWriter& writer, const Hierarchy& hierarchy,
                           const OverviewListing& listing, const std::string& path);

}  // namespace zarr
