// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.h"
#include "core/store/store.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Updates the additional metadata of Zarr v2 stores that netCDF-C wrote (netCDF-C documentation,
// "NCZarr Metadata"): lists of dimensions, arrays and groups, and types of attributes. netCDF-C
// ignores nodes that are not listed, and rejects the store or crashes if a listed node is missing.
// In stores of other software, all methods do nothing.
//
// Not thread-safe; HierarchyWriter serialises the calls. Errors begin with a key.
class NczarrDocuments {
  public:
    NczarrDocuments(std::shared_ptr<Store> store, std::shared_ptr<Synchronizer> locks)
        : store_(std::move(store)), locks_(std::move(locks)) {}

    // Finds out from the store whether netCDF-C wrote the store. Other methods call Learn() when
    // needed; the result is cached.
    Status Learn() { return FindLayout().status(); }
    // Records that the store's root was just created, so that netCDF-C cannot have written the
    // store.
    void IsNew() { layout_ = Layout::kNone; }

    // Members of the `.zarray` and of the `.zattrs` of a new array.
    struct NewArray {
        json::Object document;
        json::Object attributes;
    };
    // Adds NCZarr's members to a new array, and declares the dimensions that `_ARRAY_DIMENSIONS`
    // names. Call before the array is written. Returns false and changes nothing if netCDF-C did
    // not write the store.
    Result<bool> DescribeArray(const std::string& path, NewArray& array);

    // List() adds a new node to its group's list, and that group to its parent's list, unless
    // netCDF-C does not know the array's type. Unlist() removes a node that will be deleted.
    Status List(const std::string& path);
    Status Unlist(const std::string& path);

    // Updates the names of dimensions in the arrays below a renamed group, because a name contains
    // the path of the dimension's group.
    Status UpdateForRename(const std::string& from, const std::string& to);

    // Updates the sizes of an array's dimensions after the array got the shape `shape`.
    Status UpdateForShape(const std::string& path, const std::vector<std::uint64_t>& shape);

    // Returns the attributes of the node at `path` in the form that is stored. Keeps netCDF-C's own
    // attributes, and replaces attributes that netCDF-C cannot read by text; see HideFromNetcdf()
    // in dialects.h. Renames the array's dimensions if `_ARRAY_DIMENSIONS` has changed.
    Result<json::Value> ToStoredAttributes(const std::string& path, const json::Value& attributes);

  private:
    // Location of NCZarr's metadata: separate documents (kDocuments, netCDF-C 4.8.0), members of
    // `.zgroup` and `.zarray` (kMembers), or members of `.zattrs` (kAttributes, netCDF-C 4.9.3 and
    // later).
    enum class Layout { kNone, kDocuments, kMembers, kAttributes };
    struct Spelling {
        std::string_view group = "_NCZARR_GROUP";
        std::string_view array = "_NCZARR_ARRAY";
        std::string_view attributes = "_NCZARR_ATTR";
        std::string_view dimensions = "dims";
        std::string_view arrays = "vars";
        std::string_view groups = "groups";
        std::string_view references = "dimrefs";
    };
    // A document and the name of one member of it; if `member` is empty, the whole document.
    struct MemberLocation {
        std::string key;
        std::string_view member;
    };

    Result<Layout> FindLayout();
    void ReadSpelling(const json::Value& root);
    MemberLocation GroupLocation(const std::string& group) const;
    MemberLocation ArrayLocation(const std::string& array) const;
    // Returns the members of the JSON object at `location`; empty if the object is absent.
    Result<json::Object> Read(const MemberLocation& location) const;
    Status Change(const MemberLocation& location, const std::function<void(json::Object&)>& change);

    Status ListIn(const std::string& group, std::string_view list, std::string_view name);
    // Returns the full name of the dimension with this name and size in `group` or a group above;
    // declares a missing one. If the name has another size in `group`, the size is appended to the
    // name.
    Result<std::string> Declare(const std::string& group, const std::string& name,
                                std::uint64_t size);
    Result<json::Array> DeclareAll(const std::string& array,
                                   const std::vector<std::uint64_t>& shape,
                                   const std::vector<std::string>& names);
    // Renames the dimensions of the array `array` if the names in its `_ARRAY_DIMENSIONS` have
    // changed. Under Layout::kAttributes, the renaming changes `attributes`, not the store.
    Status RenameDimensions(const std::string& array, json::Value& attributes);
    // Returns the new full names of an array's dimensions; empty if the names have not changed.
    Result<json::Array> NewReferences(const std::string& array, const json::Object& extension,
                                      const json::Value& attributes);
    // Removes the declaration of the dimension with the full name `reference`, unless another array
    // uses it. `leaver` is the array that no longer uses the dimension.
    Status RemoveUnusedDimension(const std::string& reference, const std::string& leaver);
    // Calls `visit` with the path of each array at and below `path`.
    Status ForEachArray(const std::string& path, std::size_t depth,
                        const std::function<Status(const std::string&)>& visit) const;

    const std::shared_ptr<Store> store_;
    const std::shared_ptr<Synchronizer> locks_;
    std::optional<Layout> layout_;
    Spelling spelling_;
};

}  // namespace zarr
