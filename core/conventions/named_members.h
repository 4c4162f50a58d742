// SPDX-License-Identifier: MIT
// What the attributes of groups, and NCZarr's extensions, name inside them. Of a store that cannot
// be listed, such as one on a web server, these are the members that are known; of any other they
// tell the order.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/conventions/attributes.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// Most members that one attribute names that are looked at; the others are passed over with a
// warning.
inline constexpr std::size_t kMaxNamedMembers = 10'000;

// What is wrong with many things of one kind, for one warning.
class Faults {
  public:
    void Add(const std::string& text);
    // Adds one warning for all, if there are any, and forgets them.
    void Report(Warnings& warnings);

  private:
    std::string text_;  // of the first ones
    std::size_t count_ = 0;
};

struct NamedMember {
    enum class As {
        kLevel,  // an array or group of a pyramid
        kImage,  // a group with `multiscales`
        kLabel,  // a group with `multiscales`, of integers that tell what the pixels show
        kWell,   // a group with `well`
    };
    std::string path;  // from the root
    As as = As::kLevel;
};

struct NamedMembers {
    // True for the groups of OME-NGFF 0.4 that hold images and are not images themselves: `plate`,
    // `well`, `bioformats2raw.layout`, `labels`.
    bool is_container = false;
    bool is_image = false;             // Multiscale::IsImage(): it may have labels
    std::vector<NamedMember> members;  // in the order of the attributes, each once
};

// The members that the attributes of a group name, at any depth below it. Whether they exist is not
// looked at, except where a `bioformats2raw.layout` without `series` means the numbers from 0 on. A
// plate counts before a series: bioformats2raw writes both. Paths that lead elsewhere are faults.
NamedMembers ReadNamedMembers(const Hierarchy& hierarchy, const std::string& group, Faults& faults);

// The group in which bioformats2raw tells of a group's images, with `METADATA.ome.xml`; empty where
// the group is not bioformats2raw's. It holds no image itself.
std::string OmeGroupOf(const json::Value& group_attributes, const std::string& group);

// The groups of bioformats2raw's series, in the order of the images in its OME-XML: by `series`,
// else by their numbers. Empty where there are none.
std::vector<std::string> SeriesOf(const Hierarchy& hierarchy, const std::string& group,
                                  Faults& faults);

// The group of an image's labels.
inline constexpr std::string_view kLabelsGroup = "labels";

// The members of a group that attributes of it, or of a group above it, or NCZarr's extension of it
// name and that exist, sorted by name: for a store that cannot list.
std::vector<Node> NamedNodes(const Hierarchy& hierarchy, const std::string& group);

// Hierarchy::Members(), or where the store cannot list, NamedNodes(); kUnsupported where there are
// none of these either.
Result<std::vector<Node>> MembersOf(const Hierarchy& hierarchy, const std::string& group);

// What names of one thing have in common when they are spelt "WGS 84", "WGS_84" or "wgs84": the
// ASCII letters and digits, in lower case.
inline std::string NameKey(std::string_view name) {
    std::string key;
    for (const char c : name) {
        if (c >= 'A' && c <= 'Z')
            key += static_cast<char>(c - 'A' + 'a');
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
            key += c;
    }
    return key;
}

}  // namespace zarr
