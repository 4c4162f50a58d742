// SPDX-License-Identifier: MIT
// Who lists a node as a level of a pyramid. What an image or a pyramid says of all its levels
// stands in the attributes of the group that has the `multiscales`, however deep the level lies
// below it: "0", or "scale0/image" as ngff-zarr writes it.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/conventions/multiscales.h"
#include "core/hierarchy/hierarchy.h"

namespace zarr {

// A node as the levels of one group list it.
struct LevelListing {
    std::string group;                              // that has the `multiscales`
    std::shared_ptr<const json::Value> attributes;  // of that group; nullptr where there is none
    std::vector<MultiscaleLevel> levels;            // in the order of the attribute; they borrow

    bool is_listed() const { return !levels.empty(); }
};

// Finds listings. Attributes of groups are read when they are first needed and kept for the nodes
// that come next, as far as those lie below the same groups; broken ones count as none. Not for
// several threads.
class LevelListings {
  public:
    // `hierarchy` is borrowed.
    explicit LevelListings(const Hierarchy& hierarchy) : hierarchy_(hierarchy) {}

    // The attributes of a group.
    std::shared_ptr<const json::Value> AttributesOf(const std::string& group);

    // The listing of an array or group, by FindLevels(), of the nearest group above it that has
    // one; not listed where none has.
    LevelListing Find(const std::string& path, Multiscale::Kind kind = Multiscale::Kind::kDatasets);

  private:
    const Hierarchy& hierarchy_;
    std::map<std::string, std::shared_ptr<const json::Value>> attributes_;
};

}  // namespace zarr
