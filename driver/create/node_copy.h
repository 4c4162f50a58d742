// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/conventions/array_facts.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// Copies an array or a group to another path, in the same store or another one of the same format,
// with the arrays outside of it that it refers to. Overviews of an array are not copied.
class NodeCopy {
  public:
    // `from` is read, and what `update` writes; `is_same_store` says that they are one store. All
    // outlive this.
    NodeCopy(const zarr::Hierarchy& from, StoreUpdate& update, bool is_same_store)
        : from_(from), update_(update), is_same_store_(is_same_store) {}

    // Copies the node at `source` to `target`, "" being the root of a new store. After a failure
    // nothing of the copy is left, but what is in a new store.
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
    zarr::Status KeepPlaces() const;
    zarr::Status KeepPlace(const std::string& path, const std::string& copy) const;
    std::string Home() const;  // the group of the copy
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
    // Arrays outside of the node that go with it, and where they go.
    std::vector<std::pair<std::string, std::string>> copies_;
    std::map<std::string, std::string>
        names_;                      // new ones of arrays and dimensions, by the old ones
    std::string mapping_;            // name of a grid mapping that is to be found, or written anew
    std::vector<std::string> made_;  // paths of copies
};

}  // namespace zarr_driver
