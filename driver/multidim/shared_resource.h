// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_pam.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/base/fork.h"
#include "core/conventions/array_facts.h"
#include "core/conventions/nodata.h"
#include "driver/base/debug_log.h"
#include "driver/base/open_options.h"
#include "driver/multidim/placed_arrays.h"
#include "driver/store/location.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrAttribute;
class ZarrDimension;
class ZarrGroup;
class ZarrMDArray;

// A dimension that was created and may not be any array's yet. Paths are the store's.
struct NewDimension {
    std::string group;
    std::string name;
    std::string type;
    std::string direction;
    std::uint64_t size = 0;
};

// What the groups, arrays and dimensions of one multidimensional dataset share: the store, and each
// other. Names of the API start at the node that was opened, which is its root group; paths are
// those of the store. Thread-safe, but for changes of a node's name, existence or shape: they need
// exclusive use of the objects of the node.
//
// What was written and is not in the store yet gets there when the last object of the dataset goes,
// or before, at Flush().
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
    // Attributes that have changed are stored first, so that it has them all.
    const zarr::Hierarchy& hierarchy() const;
    const Location& location() const { return location_; }
    const OpenOptions& options() const { return options_; }
    // What GDAL keeps of arrays in `pam.aux.xml` of the root's folder.
    const std::shared_ptr<GDALPamMultiDim>& pam() const { return pam_; }
    // Arrays that were given a CRS since the dataset was flushed.
    PlacedArrays& placed() { return placed_; }
    // Drops the statistics of arrays that were written to since they were stored. Looks once, and
    // where looking costs no requests.
    void DropOldStatistics();

    // The hierarchy without attributes that are pending, which hierarchy() stores first.
    const zarr::Hierarchy& stored_hierarchy() const { return *location_.hierarchy; }

    // The path of the group that is the root. Where an array was opened this is the group around
    // it, which then shows that array alone.
    const std::string& root() const { return root_; }
    // The array that was opened, or nullptr.
    const std::string* single_array() const { return is_array_ ? &location_.node : nullptr; }

    // The API's full name of a group; of one that is not below the root, the root's.
    std::string GroupName(const std::string& path) const;
    // The name of an array in its group, and with the group's in front of it. An array outside of
    // what was opened is one of the root: by its own name, but where the root or a group between
    // has something of that name with a number behind it.
    std::string ArrayName(const std::string& path) const;
    std::string ArrayFullName(const std::string& path) const;

    // The paths of the arrays outside of what was opened that arrays in it refer to, sorted: the
    // coordinates of their dimensions, and what the attribute `coordinates` names. Looks at all
    // arrays that were opened; where the store itself was, at none.
    std::vector<std::string> OutsideArrays() const;
    // The path of the array outside of what was opened that has the name ArrayName(); empty where
    // there is none. Those of groups above need no listing.
    std::string FindOutside(const std::string& name) const;

    // While it lives, arrays without elements are opened with their dimensions in the order that is
    // stored: for copies, which do not divide by their sizes.
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
    // The object of a group, which exists; all callers get the same one.
    std::shared_ptr<ZarrGroup> OpenGroup(const std::string& path);

    // The dimension `index` of an array, one object for all arrays that share it: those of one
    // group for which the store gives it the same name and size. Of several sizes under one name
    // the group's is that of its coordinate array, else the one that was met first.
    std::shared_ptr<ZarrDimension> DimensionOf(const zarr::ArrayFacts& facts, std::size_t index);

    // A group is being listed: warns of what its consolidated metadata lack. Looks at each group
    // once, and at none after the first that lacks something.
    void Listed(const std::string& group);

    // Grows with every change of the nodes that there are.
    std::uint64_t generation() const { return generation_; }

    // nullptr where the dataset was opened for reading.
    StoreUpdate* update() const { return update_.get(); }
    // kPermission where the dataset was opened for reading.
    zarr::Status CheckUpdate() const;
    // Why a node, dimension or attribute cannot be called `name`.
    static zarr::Status CheckName(const std::string& name);

    zarr::Status Flush();
    // Flush(), and everything else that is left for the end.
    zarr::Status Finish();

    // Sets or removes an attribute of a node, and tells its array where that is open.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);
    // The attribute objects that can be written to, while they are in use.
    void Register(const std::shared_ptr<ZarrAttribute>& attribute);
    std::shared_ptr<ZarrAttribute> FindAttribute(const std::string& path,
                                                 const std::string& name) const;
    std::vector<std::shared_ptr<ZarrAttribute>> AttributesOf(const std::string& path) const;

    // A new dimension; its group has none of that name.
    std::shared_ptr<ZarrDimension> CreateDimension(const NewDimension& dimension);
    std::vector<std::shared_ptr<ZarrDimension>> CreatedDimensions(const std::string& group);
    // A dimension that a group declares and no array has.
    std::shared_ptr<ZarrDimension> DeclaredDimension(const NewDimension& dimension);
    // The same dimension as one of this session, for an array in `group`: itself, or where it is
    // another dataset's, one of its name and size.
    zarr::Result<std::shared_ptr<ZarrDimension>> Adopt(const std::string& group,
                                                       const GDALDimension& dimension);
    zarr::Status RenameDimension(ZarrDimension& dimension, const std::string& new_name);
    // Gives dimensions new sizes, with every array that has them.
    zarr::Status Resize(const std::map<ZarrDimension*, std::uint64_t>& sizes);

    // A node was made.
    void NodeCreated() { NodesChanged(); }
    // Deletes a node, or gives it another name in its group; its objects and those of what is
    // below it are told.
    zarr::Status DeleteNode(const std::string& path);
    zarr::Status RenameNode(const std::string& node, const std::string& new_name);

  private:
    struct User {  // an array of a dimension
        std::string path;
        zarr::ArrayFacts facts;
        std::vector<std::size_t> axes;  // that the dimension is
    };

    struct NewShape {
        zarr::ArrayMetadata metadata;  // the old one
        std::vector<std::uint64_t> shape;
    };

    // The owner of a full name.
    struct NameClaim {
        std::string key;  // ZarrDimension::Key()
        std::weak_ptr<ZarrDimension> owner;
    };

    void NodesChanged() { ++generation_; }
    bool IsOpened(const std::string& path) const;
    std::string OutsideName(const std::string& path) const;
    std::vector<std::string> OpenedArrays() const;
    std::vector<std::string> ReferencesOf(const std::string& path) const;
    bool RootHolds(const std::string& name) const;
    bool MayBeGroups(const zarr::Dimension& dimension) const;
    void ClaimName(const std::shared_ptr<ZarrDimension>& dimension);
    // The array where it is in use, else nullptr.
    std::shared_ptr<ZarrMDArray> OpenIfLive(const std::string& path) const;
    std::shared_ptr<ZarrDimension> DimensionOf(const NewDimension& created);
    const NewDimension* FindCreated(const std::string& group, const std::string& name,
                                    std::uint64_t size) const;
    void Rekey();
    std::vector<std::shared_ptr<ZarrMDArray>> LiveArrays() const;
    std::vector<std::shared_ptr<ZarrGroup>> LiveGroups() const;
    std::vector<std::shared_ptr<ZarrDimension>> LiveDimensions() const;
    zarr::Result<std::vector<User>> UsersOf(const ZarrDimension& dimension);
    zarr::Status AddUsers(const std::string& group, const ZarrDimension& dimension,
                          std::vector<User>& users);
    zarr::Status CheckRename(const ZarrDimension& dimension, const std::string& new_name,
                             const std::vector<User>& users);
    zarr::Status StoreNames(const User& user, const std::string& new_name);
    template <class Change>
    void ChangeCreated(const ZarrDimension& dimension, const Change& change);
    zarr::Status ReloadLive(const std::vector<std::string>& paths);
    void MoveObjects(const std::string& path, const std::string& target);
    void ForgetNode(const std::string& path);
    zarr::Status FollowRename(const std::string& path, const std::string& target);
    zarr::Result<std::map<std::string, NewShape>> NewShapes(
        const std::map<ZarrDimension*, std::uint64_t>& sizes);
    zarr::Status ResizeArray(const std::string& path, const std::vector<std::uint64_t>& shape);
    void AddAxisHints();

    const Location location_;
    const OpenOptions options_;
    const bool is_array_;
    const std::string root_;
    const std::string pam_path_;  // without its ending
    const std::shared_ptr<GDALPamMultiDim> pam_;
    std::once_flag old_statistics_dropped_;
    const zarr::ForkLocal<StoreUpdate> update_;
    PlacedArrays placed_;
    const StoreActivity activity_;
    std::atomic<std::uint64_t> generation_{0};
    std::atomic<int> stored_orders_{0};
    mutable std::mutex mutex_;
    std::map<std::string, std::weak_ptr<ZarrMDArray>> arrays_;  // by path
    std::map<std::string, std::weak_ptr<ZarrGroup>> groups_;
    std::map<std::string, std::weak_ptr<ZarrDimension>> dimensions_;  // by ZarrDimension::Key()
    std::map<std::string, NameClaim> claims_;                         // by full name
    std::set<std::string> listed_;                                    // paths of groups
    bool has_warned_ = false;  // of what consolidated metadata lack
    std::vector<NewDimension> created_;
    std::vector<std::weak_ptr<ZarrAttribute>> attributes_;
    std::size_t most_attributes_ = 0;  // beyond which those that are gone are removed
};

}  // namespace zarr_driver
