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
#include "driver/store/open_node.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class AttributeRegistry;
class DimensionRegistry;
class ZarrGroup;
class ZarrMDArray;

// The session of a multidimensional dataset: the store and the state that groups, arrays and
// dimensions share. Flush() and the destructor store pending changes. Names in GDAL's API start at
// the root group, see root(); paths start at the root of the store. Thread-safe, except
// DeleteObjects() and MoveObjects().
class MdimSession : public std::enable_shared_from_this<MdimSession> {
  public:
    // `update` writes to the store, and is nullptr for a read-only dataset.
    MdimSession(OpenNode open_node, OpenOptions options,
                std::unique_ptr<StoreUpdate> update = nullptr);
    // Stores pending changes, and emits an error if that fails.
    ~MdimSession();
    MdimSession(const MdimSession&) = delete;
    MdimSession& operator=(const MdimSession&) = delete;

    const std::string& store_path() const { return open_node_.address; }
    const StoreAddress& address() const { return open_node_.address; }
    // Stores pending attributes, and returns the hierarchy of the store.
    const zarr::Hierarchy& hierarchy() const;
    // Returns the hierarchy of the store without storing pending attributes.
    const zarr::Hierarchy& stored_hierarchy() const { return *open_node_.hierarchy; }
    const OpenNode& open_node() const { return open_node_; }
    const OpenOptions& options() const { return options_; }
    // Returns GDAL's PAM: metadata of arrays, such as statistics, in `pam.aux.xml` in the folder of
    // the root group, or in a file beside references.
    const std::shared_ptr<GDALPamMultiDim>& pam() const { return pam_; }
    // Returns the record of arrays whose CRS was set since the last flush.
    PendingGridMappings& pending_grid_mappings() { return pending_grid_mappings_; }
    AttributeRegistry& attributes() const { return *attributes_; }
    DimensionRegistry& dimensions() const { return *dimensions_; }
    // Removes the statistics of arrays whose chunks or metadata are newer than the PAM file. Does
    // nothing for a remote store, where the check would send requests. Only the first call has an
    // effect.
    void DropOldStatistics();

    // Returns the path of the root group. If an array was opened, it is the array's parent group,
    // which shows no other array.
    const std::string& root() const { return root_; }
    // Returns the path of the array that the user opened; nullptr if the user opened a group.
    const std::string* single_array() const { return is_array_ ? &open_node_.node : nullptr; }

    // Returns the full name in GDAL's API of the group at `path`, or of the root group if `path` is
    // not below it.
    std::string GroupName(const std::string& path) const;
    // Returns the name in GDAL's API of the array at `path`. See OutsideArrays for arrays outside
    // of the root group.
    std::string ArrayName(const std::string& path) const;
    std::string ArrayFullName(const std::string& path) const;

    // While such an object exists, empty arrays are opened with their dimensions in the stored
    // order, for copies. Otherwise a dimension of size 0 comes first, because GDAL's code divides
    // by the sizes of dimensions.
    class StoredOrder {
      public:
        explicit StoredOrder(MdimSession& session) : session_(session) {
            ++session_.stored_orders_;
        }
        ~StoredOrder() { --session_.stored_orders_; }
        StoredOrder(const StoredOrder&) = delete;
        StoredOrder& operator=(const StoredOrder&) = delete;

      private:
        MdimSession& session_;
    };
    bool keeps_stored_order() const { return stored_orders_ != 0; }

    // Returns the array object at `path` if one is in use; otherwise opens the array.
    zarr::Result<std::shared_ptr<ZarrMDArray>> OpenArray(const std::string& path);
    // Returns the array object at `path` if one is in use; otherwise nullptr.
    std::shared_ptr<ZarrMDArray> FindArray(const std::string& path) const;
    // Returns the object of an existing group, which all callers share.
    std::shared_ptr<ZarrGroup> OpenGroup(const std::string& path);
    // Returns all array objects that are in use.
    std::vector<std::shared_ptr<ZarrMDArray>> Arrays() const;

    // Called when the nodes in `group` are listed: warns if the consolidated metadata lacks some of
    // them. Checks each group once, and no group after the first warning.
    void Listed(const std::string& group);

    // Returns a number that changes whenever a node (array or group) is created, deleted or
    // renamed.
    std::uint64_t generation() const { return generation_; }
    void NodesChanged() { ++generation_; }

    // Returns the object that writes to the store; nullptr if the dataset is read-only.
    StoreUpdate* update() const { return update_.get(); }
    std::shared_ptr<StoreUpdate> ShareUpdate() const { return update_.Share(); }
    // Returns a kPermission error if the dataset is read-only.
    zarr::Status CheckUpdate() const;
    // Returns an error if `name` is not allowed for an array, group, dimension or attribute.
    static zarr::Status CheckName(const std::string& name);

    zarr::Status Flush();
    // Stores all pending changes, including the axes of dimensions and grid mappings that Flush()
    // leaves pending.
    zarr::Status Finish();

    // Sets an attribute of a node, or removes it if `value` is nullopt. If the node is an array in
    // use, also updates the array's object.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);

    // Marks the objects of a node, and of all nodes below it, as deleted: arrays, groups,
    // dimensions and attributes. Then the session forgets these objects.
    void DeleteObjects(const std::string& path);
    // Updates the objects of a node, and of all nodes below it, after a move to the path `target`:
    // groups, dimensions and attributes. Does not update the array objects themselves.
    void MoveObjects(const std::string& path, const std::string& target);

  private:
    std::vector<std::shared_ptr<ZarrGroup>> Groups() const;

    const OpenNode open_node_;
    const OpenOptions options_;
    StoreInUse store_in_use_;  // while the session lasts, its store is not deleted
    const bool is_array_;
    const std::string root_;
    const std::string pam_path_;  // path of the PAM file without ".aux.xml"
    const std::shared_ptr<GDALPamMultiDim> pam_;
    std::once_flag old_statistics_dropped_;
    std::string failure_;  // message of the last Finish(); empty if it succeeded
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
    std::set<std::string> listed_;  // paths of groups whose listing was checked
    bool has_warned_ = false;       // true after a warning about incomplete consolidated metadata
};

}  // namespace zarr_driver
