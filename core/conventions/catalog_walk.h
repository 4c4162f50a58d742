// SPDX-License-Identifier: MIT
// How a catalog goes through a hierarchy.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "core/conventions/level_listing.h"
#include "core/conventions/named_members.h"

namespace zarr {

// An array by its metadata alone: without dimensions.
CatalogArray DescribeAlone(const Hierarchy& hierarchy, const std::string& path);

// A group of which the members are known.
CatalogGroup DescribeMembers(const Hierarchy& hierarchy, LevelListings& listings,
                             const std::string& path, const std::vector<Node>& members);

// Visits each group once. What attributes name and is not there is told in one warning for all.
class CatalogWalk {
  public:
    CatalogWalk(const Hierarchy& hierarchy, Warnings& warnings)
        : hierarchy_(hierarchy), warnings_(warnings), listings_(hierarchy) {}

    // A group and what is below it. Only of the root it is an error that it cannot be listed.
    Status Visit(const std::string& path, bool is_root);

    // What was visited; nothing is visited afterwards.
    std::vector<CatalogGroup> Take();

  private:
    Status Count(std::size_t nodes);
    // A store that says kUnsupported once is not asked again.
    Result<std::vector<Node>> Members(const std::string& path);
    bool can_list() const { return cannot_list_.ok(); }
    Status VisitPlain(const std::string& path, bool is_root);
    Status VisitContainer(const std::string& path, const NamedMembers& named, bool is_root);
    // The images that members mean: those of a well in its place.
    std::vector<NamedMember> Expand(const std::vector<NamedMember>& members);
    bool IsThere(const std::string& path);
    void PrefetchBases(const std::vector<NamedMember>& images);
    Status VisitImage(const NamedMember& image);
    // What lies in an image beside its levels: its labels.
    Status VisitBeside(const std::string& path, const std::set<std::string>& levels);

    const Hierarchy& hierarchy_;
    Warnings& warnings_;
    LevelListings listings_;
    Faults faults_;
    std::vector<CatalogGroup> groups_;
    std::set<std::string> visited_;
    std::set<std::string> expanded_;  // wells
    std::size_t counted_ = 0;
    Status cannot_list_;  // why
};

}  // namespace zarr
