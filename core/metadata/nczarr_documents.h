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

// Keeps what netCDF-C adds to its own stores (its documentation, "NCZarr Metadata") true to changes
// of the store: each group lists its dimensions with their sizes, its arrays and its groups, each
// array names its dimensions, and attributes are of kinds that netCDF-C reads. netCDF-C sees only
// what is listed, and refuses the store, or crashes, where something listed is not there. Nothing
// is done in stores that are not netCDF-C's, as their root says.
//
// One thread at a time; a HierarchyWriter asks. Errors start with a key.
class NczarrDocuments {
  public:
    NczarrDocuments(std::shared_ptr<Store> store, std::shared_ptr<Synchronizer> locks)
        : store_(std::move(store)), locks_(std::move(locks)) {}

    // Reads from the store whether it is netCDF-C's, so that no later call fails at that. Other
    // methods call it where needed; the store is asked once.
    Status Learn() { return FindLayout().status(); }
    // The store's root was made just now, so it is not netCDF-C's. Saves to look.
    void IsNew() { layout_ = Layout::kNone; }

    // The members of `.zarray` and `.zattrs`.
    struct NewArray {
        json::Object document;
        json::Object attributes;
    };
    // Gives a new array what NCZarr adds to it, and declares the dimensions that
    // `_ARRAY_DIMENSIONS` names. To be called before it is written. False, with nothing changed, in
    // other stores.
    Result<bool> DescribeArray(const std::string& path, NewArray& array);

    // Lists a node that was made in its group, and that in its own; and what is to be deleted no
    // more. An array of a type that netCDF-C has not is not listed.
    Status List(const std::string& path);
    Status Unlist(const std::string& path);

    // After a group was renamed: arrays below it name its dimensions, with the group's path.
    Status UpdateForRename(const std::string& from, const std::string& to);

    // After an array got another shape: its dimensions have these sizes.
    Status UpdateForShape(const std::string& path, const std::vector<std::uint64_t>& shape);

    // The attributes of a node as they are to be stored: what netCDF-C adds to them is kept, and
    // what it cannot read is a text; see HideFromNetcdf() in dialects.h. Where an array's
    // `_ARRAY_DIMENSIONS` have changed, its dimensions are named so.
    Result<json::Value> AsStored(const std::string& path, const json::Value& attributes);

  private:
    // Where the additions are: documents of their own, in netCDF-C 4.8.0; members of `.zgroup` and
    // `.zarray`; or, from 4.9.3 on, members of `.zattrs`.
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
    // A document, and the member of it that is meant; all of it where that is empty.
    struct Place {
        std::string key;
        std::string_view member;
    };

    Result<Layout> FindLayout();
    void LearnSpelling(const json::Value& root);
    Place GroupPlace(const std::string& group) const;
    Place ArrayPlace(const std::string& array) const;
    // The members at a place; none where there are none.
    Result<json::Object> Read(const Place& place) const;
    Status Change(const Place& place, const std::function<void(json::Object&)>& change);

    Status ListIn(const std::string& group, std::string_view list, std::string_view name);
    // The full name of the dimension of a group that has a name and size; declared where there is
    // none yet.
    Result<std::string> Declare(const std::string& group, const std::string& name,
                                std::uint64_t size);
    Result<json::Array> DeclareAll(const std::string& array,
                                   const std::vector<std::uint64_t>& shape,
                                   const std::vector<std::string>& names);
    // Names the dimensions of an array as the `_ARRAY_DIMENSIONS` that it is to have, where these
    // are others. From 4.9.3 on, that is part of the attributes.
    Status Rereference(const std::string& array, json::Value& attributes);
    // None where they are as they were.
    Result<json::Array> NewReferences(const std::string& array, const json::Object& extension,
                                      const json::Value& attributes);
    // Takes back the declaration of a dimension that no array has any more, once `leaver` has not.
    Status ForgetUnused(const std::string& reference, const std::string& leaver);
    // Visits the paths of the arrays at and below one.
    Status ForEachArray(const std::string& path, std::size_t depth,
                        const std::function<Status(const std::string&)>& visit) const;

    const std::shared_ptr<Store> store_;
    const std::shared_ptr<Synchronizer> locks_;
    std::optional<Layout> layout_;
    Spelling spelling_;
};

}  // namespace zarr
