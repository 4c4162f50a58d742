// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/hierarchy/hierarchy.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Copies a node (an array or a group) to another path in the same store, or in a store of the same
// Zarr version. Also copies outside arrays to which the node refers, but no overviews of an array.
class NodeCopy {
  public:
    // `from` is the store of the source, and `update` writes to the store of the target;
    // `is_same_store` is true if they are one store. All arguments must outlive this object.
    NodeCopy(const zarr::Hierarchy& from, StoreUpdate& update, bool is_same_store)
        : from_(from), update_(update), is_same_store_(is_same_store) {}

    // Copies the node at the path `source` to the path `target`. An empty `target` is the root of a
    // new store. On failure removes the copy, except from a new store.
    zarr::Status Run(const std::string& source, const std::string& target);

  private:
    zarr::Result<std::vector<std::string>> CopiedArrays() const;
    zarr::Status Plan();
    zarr::Status PlanForGroup(const std::string& path);
    zarr::Status PlanCompanion(const std::string& path, bool is_mask);
    zarr::Status PlanDimensions();
    zarr::Status CopyAll();
    zarr::Status WriteNames(const std::string& path,
                            const std::map<std::string, std::string>& names) const;
    zarr::Status WriteGridMapping() const;
    zarr::Status PreserveGeoreferencing() const;
    zarr::Status PreservePosition(const std::string& path, const std::string& copy) const;
    std::string TargetGroup() const;  // the group that contains the copy
    std::string OwnName(const std::string& name) const;
    bool IsDimension(const zarr::Hierarchy& to, const std::string& name,
                     std::optional<std::uint64_t> size = std::nullopt) const;
    zarr::Result<std::string> FreeName(const zarr::Hierarchy& to, const std::string& name) const;
    zarr::Result<std::shared_ptr<const zarr::Hierarchy>> Target() const;

    const zarr::Hierarchy& from_;
    StoreUpdate& update_;
    const bool is_same_store_;
    std::string source_;
    std::string target_;
    bool is_array_ = false;
    // Arrays outside of the node that are also copied, each with its target path.
    std::vector<std::pair<std::string, std::string>> copies_;
    std::map<std::string, std::string>
        names_;  // new names of arrays and dimensions, by former name
    // Name of the grid mapping that is copied under a new name; may be empty.
    std::string mapping_;
    std::vector<std::string> made_;  // paths of the nodes that have been copied
};

}  // namespace zarr_driver
