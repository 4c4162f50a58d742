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
#include "driver/multidim/pending_grid_mappings.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class AttributeRegistry;
class DimensionRegistry;
class ZarrGroup;
class ZarrMDArray;

// The session of a multidimensional dataset: the state that its groups, arrays and dimensions
// share. It contains the store and the objects in use. Pending changes are stored by Flush(), and
// when the last object that shares the session is destroyed. Thread-safe, except DeleteObjects()
// and MoveObjects().
// Names in GDAL's API start at the root group, see root(). Paths start at the root of the store.
class SharedResource : public std::enable_shared_from_this<SharedResource> {
  public:
    // `update` writes to the store, and is nullptr for a read-only dataset.
    SharedResource(Location location, OpenOptions options,
                   std::unique_ptr<StoreUpdate> update = nullptr);
    // Stores pending changes. Emits an error if that fails.
    ~SharedResource();
    SharedResource(const SharedResource&) = delete;
    SharedResource& operator=(const SharedResource&) = delete;

    const std::string& store_path() const { return location_.store_path; }
    // Stores pending attributes. Returns the hierarchy of the store, which includes these
    // attributes.
    const zarr::Hierarchy& hierarchy() const;
    // Returns the hierarchy of the store without storing pending attributes.
    const zarr::Hierarchy& stored_hierarchy() const { return *location_.hierarchy; }
    const Location& location() const { return location_; }
    const OpenOptions& options() const { return options_; }
    // Returns GDAL's PAM, the metadata of arrays that is saved in `pam.aux.xml` in the folder of
    // the root group.
    const std::shared_ptr<GDALPamMultiDim>& pam() const { return pam_; }
    // Returns the record of arrays that got a CRS since the last flush.
    PendingGridMappings& pending_grid_mappings() { return pending_grid_mappings_; }
    AttributeRegistry& attributes() const { return *attributes_; }
    DimensionRegistry& dimensions() const { return *dimensions_; }
    // Removes the statistics of arrays from PAM if their chunks or metadata are newer than the PAM
    // file. Does nothing for a remote store, because the check would send requests. Only the first
    // call has an effect.
    void DropOldStatistics();

    // Returns the path of the root group. If an array was opened, the root group is the parent
    // group of the array, and shows no other array.
    const std::string& root() const { return root_; }
    // Returns the path of the array that was opened, or nullptr if a group was opened.
    const std::string* single_array() const { return is_array_ ? &location_.node : nullptr; }

    // Returns the full name of a group in GDAL's API. For a group that is not below the root group,
    // returns the full name of the root group.
    std::string GroupName(const std::string& path) const;
    // Returns the name of an array in GDAL's API. See OutsideArrays for arrays outside of the root
    // group.
    std::string ArrayName(const std::string& path) const;
    std::string ArrayFullName(const std::string& path) const;

    // While an object of this class lives, arrays without elements are opened with their dimensions
    // in the stored order, which copies need. At other times, a dimension of size 0 is moved to the
    // front, because GDAL's code divides by the sizes of dimensions.
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

    // Returns the array object at `path` if it is in use, else opens the array.
    zarr::Result<std::shared_ptr<ZarrMDArray>> OpenArray(const std::string& path);
    // Returns the array object at `path` if it is in use, else nullptr.
    std::shared_ptr<ZarrMDArray> FindArray(const std::string& path) const;
    // Returns the object of an existing group. All callers get one shared object.
    std::shared_ptr<ZarrGroup> OpenGroup(const std::string& path);
    // Returns all array objects that are in use.
    std::vector<std::shared_ptr<ZarrMDArray>> Arrays() const;

    // Warns if nodes of `group` are missing in the consolidated metadata. Called when the group is
    // listed. Each group is checked once; after the first warning no group is checked.
    void Listed(const std::string& group);

    // Returns a number that changes whenever a node is created, deleted or renamed.
    std::uint64_t generation() const { return generation_; }
    void NodesChanged() { ++generation_; }

    // Returns the object that writes to the store, or nullptr if the dataset is read-only.
    StoreUpdate* update() const { return update_.get(); }
    // Returns kPermission if the dataset is read-only, else Ok.
    zarr::Status CheckUpdate() const;
    // Returns an error if `name` is not allowed as the name of a node, dimension or attribute.
    static zarr::Status CheckName(const std::string& name);

    zarr::Status Flush();
    // Stores all pending changes, including changes that Flush() leaves pending: axes of dimensions
    // and grid mappings.
    zarr::Status Finish();

    // Sets or removes an attribute of a node. If the node is an array in use, its object is
    // updated, too.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);

    // Marks the objects of a node, and of all nodes below that node, as deleted. Then removes the
    // objects from the session.
    void DeleteObjects(const std::string& path);
    // Updates the objects of a node, and of all nodes below that node, after the node moved to the
    // path `target`. Objects of arrays are not updated.
    void MoveObjects(const std::string& path, const std::string& target);

  private:
    std::vector<std::shared_ptr<ZarrGroup>> Groups() const;

    const Location location_;
    const OpenOptions options_;
    const bool is_array_;
    const std::string root_;
    const std::string pam_path_;  // path of the PAM file without ".aux.xml"
    const std::shared_ptr<GDALPamMultiDim> pam_;
    std::once_flag old_statistics_dropped_;
    const zarr::ForkLocal<StoreUpdate> update_;
    const std::unique_ptr<AttributeRegistry> attributes_;
    const std::unique_ptr<DimensionRegistry> dimensions_;
    PendingGridMappings pending_grid_mappings_;
    const StoreActivity activity_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> stored_orders_{0};
    mutable std::mutex mutex_;
    std::map<std::string, std::weak_ptr<ZarrMDArray>> arrays_;  // by path
    std::map<std::string, std::weak_ptr<ZarrGroup>> groups_;
    std::set<std::string> listed_;  // paths of the groups that were checked
    bool has_warned_ = false;       // true after a warning about missing nodes
};

}  // namespace zarr_driver
