// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "core/json/value.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

// The store of a multidimensional dataset that is being written, and the attributes that have
// changed and are not stored yet: each node's are stored together. Thread-safe.
class PendingAttributes {
  public:
    PendingAttributes(std::unique_ptr<StoreUpdate> store,
                      std::shared_ptr<const zarr::Hierarchy> hierarchy)
        : store_(std::move(store)), hierarchy_(std::move(hierarchy)) {}

    StoreUpdate& store() { return *store_; }

    // The attributes of a node as they will be; an error where the stored ones are no JSON.
    zarr::Result<zarr::json::Value> Attributes(const std::string& path) const;
    // Sets an attribute, or removes it.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);

    // What is pending of the nodes at and below `from` becomes that of `to`.
    void Moved(const std::string& from, const std::string& to);
    // Forgets what is pending of the attributes at and below a path.
    void Forget(const std::string& path);

    // Store what is pending; what fails is kept for the next time, and the first failure returned.
    zarr::Status StoreAttributes();
    zarr::Status Flush(std::size_t threads);
    // Flush(), and the consolidated metadata.
    zarr::Status Finish(std::size_t threads);

  private:
    zarr::Result<zarr::json::Value> AttributesLocked(const std::string& path) const;

    const std::unique_ptr<StoreUpdate> store_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    mutable std::mutex mutex_;
    // All attributes of a node, as they were when the first was changed and as they will be.
    struct Changed {
        zarr::json::Value before;
        zarr::json::Value after;
    };
    std::map<std::string, Changed> changed_;  // by the path of the node
};

}  // namespace zarr_driver
