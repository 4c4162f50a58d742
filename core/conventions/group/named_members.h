// SPDX-License-Identifier: MIT
// Finds members of a group by name. The group's attributes or NCZarr's extension contain the names.
// If a store cannot list, such as a web server, only these members can be found. If a store can
// list, the attributes give the order of the members.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/conventions/attributes/attributes.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Maximum number of members that are read from one attribute. More members are ignored with a
// warning.
inline constexpr std::size_t kMaxNamedMembers = 10'000;

// A node that the attributes of a group name.
struct NamedMember {
    enum class As {
        kLevel,  // array or group that is a level of a pyramid
        kImage,  // a group with `multiscales`
        kLabel,  // group with `multiscales` of integers that classify pixels
        kWell,   // a group with `well`
    };
    std::string path;  // path from the root
    As as = As::kLevel;
};

// The nodes that the attributes of a group name.
struct NamedMembers {
    // True if the group contains images by OME-NGFF 0.4 and is not an image itself. Such a group
    // has the attribute `plate`, `well`, `bioformats2raw.layout` or `labels`.
    bool is_container = false;
    // True if a multiscale of the group is an image, see Multiscale::IsImage(). An image may have
    // labels.
    bool is_image = false;
    std::vector<NamedMember> members;  // in the order of the attributes, without duplicates
};

// Returns the members that a group's attributes name, at any depth below the group. The existence
// of members is not checked, with one exception: if the group has `bioformats2raw.layout` but no
// `series`, the members are the existing groups 0, 1, 2, ...
//
// If attributes have both `plate` and a series, as bioformats2raw writes, `plate` is used. A path
// outside of the group is reported as a fault.
NamedMembers ReadNamedMembers(const Hierarchy& hierarchy, const std::string& group, Faults& faults);

// Returns the path of the group in which bioformats2raw describes the images of `group`
// (`METADATA.ome.xml`). The returned group contains no image. Empty if bioformats2raw did not write
// the group.
std::string OmeGroupOf(const json::Value& group_attributes, const std::string& group);

// Returns the groups of bioformats2raw's series, in the order of the images in OME-XML. The
// attribute `series` lists the groups; without `series`, groups are ordered by number. Empty if
// there are no series.
std::vector<std::string> SeriesOf(const Hierarchy& hierarchy, const std::string& group,
                                  Faults& faults);

// Returns the existing members of a group that are named by attributes of the group or an ancestor,
// or by NCZarr's extension. Sorted by name. Used if the store cannot list.
std::vector<Node> NamedNodes(const Hierarchy& hierarchy, const std::string& group);

// Lists the members of a group; if the store cannot list, returns NamedNodes(). Returns
// kUnsupported if the store cannot list and no attributes name members.
Result<std::vector<Node>> MembersOf(const Hierarchy& hierarchy, const std::string& group);

}  // namespace zarr
