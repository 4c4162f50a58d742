// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "driver/base/debug_log.h"
#include "driver/base/open_options.h"
#include "driver/multidim/placed_arrays.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class AttributeRegistry;
class DimensionRegistry;
class ZarrGroup;
class ZarrMDArray;

// The state that the groups, arrays and dimensions of one multidimensional dataset share: the store
// and the objects in use. Names of the API start at the node that was opened, which is the root
// group; paths start at the root of the store. Thread-safe, except DeleteObjects() and
// MoveObjects().
//
// Pending changes are stored by Flush(), and when the last object of the dataset is destroyed.
class SharedResource : public std::enable_shared_from_this<SharedResource> {
  public:
    // `update` is nullptr for reading.
    SharedResource(Location location, OpenOptions options,
                   std::unique_ptr<StoreUpdate> update = nullptr);
    // Emits what could not be stored.
    ~SharedResource();
    SharedResource(const SharedResource&) = delete;
    SharedResource& operator=(const SharedResource&) = delete;

    const std::string& store_path() const { return location_.store_path; }
    // Stores pending attributes first, so that reads find them.
    const zarr::Hierarchy& hierarchy() const;
    // The hierarchy without pending attributes.
    const zarr::Hierarchy& stored_hierarchy() const { return *location_.hierarchy; }
    const Location& location() const { return location_; }
    const OpenOptions& options() const { return options_; }
    // GDAL's metadata of arrays in `pam.aux.xml` of the root's folder.
    const std::shared_ptr<GDALPamMultiDim>& pam() const { return pam_; }
    // Arrays that were given a CRS since the dataset was flushed.
    PlacedArrays& placed() { return placed_; }
    AttributeRegistry& attributes() const { return *attributes_; }
    DimensionRegistry& dimensions() const { return *dimensions_; }
    // Drops the statistics of arrays that were written to since their statistics were stored,
    // unless this costs requests. Only the first call does so.
    void DropOldStatistics();

    // The path of the root group. If an array was opened, the root is the group around it, and
    // shows that array alone.
    const std::string& root() const { return root_; }
    // The path of the array that was opened, or nullptr.
    const std::string* single_array() const { return is_array_ ? &location_.node : nullptr; }

    // The API's full name of a group; the root's for a group that is not below the root.
    std::string GroupName(const std::string& path) const;
    // The API's name of an array; see OutsideArrays for arrays outside the root.
    std::string ArrayName(const std::string& path) const;
    std::string ArrayFullName(const std::string& path) const;

    // While it lives, arrays without elements are opened with their dimensions in the stored order,
    // for copies, which do not divide by the sizes of dimensions.
    class StoredOrder {
      public:
        explicit StoredOrder(SharedResource& session) : session_(session) {
            ++session_.stored_orders_;
        }
        ~StoredOrder() { --session_.stored_orders_; }
        StoredOrder(const StoredOrder&) = delete;
        StoredOrder& operator=(const StoredOrder&) = delete;

      private:
        SharedResource& session_;
    };
    bool keeps_stored_order() const { return stored_orders_ != 0; }

    // Opens an array, or returns the object that is in use.
    zarr::Result<std::shared_ptr<ZarrMDArray>> OpenArray(const std::string& path);
    // Returns the array if it is in use, else nullptr.
    std::shared_ptr<ZarrMDArray> FindArray(const std::string& path) const;
    // Returns the object of a group that exists, the same one to all callers.
    std::shared_ptr<ZarrGroup> OpenGroup(const std::string& path);
    // The arrays in use.
    std::vector<std::shared_ptr<ZarrMDArray>> Arrays() const;

    // Warns that nodes of a group that is being listed are missing in the consolidated metadata.
    // Checks each group once, and none after the first warning.
    void Listed(const std::string& group);

    // Changes whenever a node is created, deleted or renamed.
    std::uint64_t generation() const { return generation_; }
    void NodesChanged() { ++generation_; }

    // nullptr if the dataset was opened for reading.
    StoreUpdate* update() const { return update_.get(); }
    // kPermission if the dataset was opened for reading.
    zarr::Status CheckUpdate() const;
    // An error if a node, dimension or attribute cannot be called `name`.
    static zarr::Status CheckName(const std::string& name);

    zarr::Status Flush();
    // Flush(), and the changes that are left for the end.
    zarr::Status Finish();

    // Sets or removes an attribute of a node, also in the array if it is in use.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);

    // Marks the objects of a node and of the nodes below it as deleted, and drops them.
    void DeleteObjects(const std::string& path);
    // Gives the objects of a node and of the nodes below it, except arrays, the node's new path
    // `target`.
    void MoveObjects(const std::string& path, const std::string& target);

  private:
    std::vector<std::shared_ptr<ZarrGroup>> Groups() const;

    const Location location_;
    const OpenOptions options_;
    const bool is_array_;
    const std::string root_;
    const std::string pam_path_;  // without its ending
    const std::shared_ptr<GDALPamMultiDim> pam_;
    std::once_flag old_statistics_dropped_;
    const zarr::ForkLocal<StoreUpdate> update_;
    const std::unique_ptr<AttributeRegistry> attributes_;
    const std::unique_ptr<DimensionRegistry> dimensions_;
    PlacedArrays placed_;
    const StoreActivity activity_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> stored_orders_{0};
    mutable std::mutex mutex_;
    std::map<std::string, std::weak_ptr<ZarrMDArray>> arrays_;  // by path
    std::map<std::string, std::weak_ptr<ZarrGroup>> groups_;
    std::set<std::string> listed_;  // paths of groups
    bool has_warned_ = false;       // of nodes that are missing in the consolidated metadata
};

}  // namespace zarr_driver
