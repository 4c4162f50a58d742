// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/hierarchy/tree.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/documents.h"
#include "core/metadata/nczarr_documents.h"
#include "core/store/store.h"

namespace zarr {

// Reads and writes the metadata documents of nodes, independent of the Zarr version: v2 has several
// documents for each node, v3 has one. Used by HierarchyWriter. Not thread-safe. Errors begin with
// a key.
class NodeDocuments {
  public:
    // `nczarr` updates the additional metadata of netCDF-C in v2 stores. `store` and `nczarr` must
    // outlive this object.
    NodeDocuments(Store& store, NczarrDocuments& nczarr, Format format)
        : store_(store), nczarr_(nczarr), format_(format) {}

    Format format() const { return format_; }
    std::string KeyOf(std::string_view path, Document document) const {
        return DocumentKey(path, document, format_);
    }

    Result<bool> IsArray(const std::string& path) const;
    Result<bool> IsGroup(const std::string& path) const;

    // Create a node at `path`, where no node may exist. MakeArray() writes the attributes before
    // the `.zarray`, so that readers never see an array without its attributes.
    Status MakeGroup(const std::string& path);
    Status MakeArray(const std::string& path, const ArrayMetadata& metadata,
                     const json::Object& attributes);

    // New state of a document: its text, or nullopt if the document is to be erased.
    struct Change {
        std::string key;
        std::optional<std::string> text;
        std::optional<std::string> before;  // the stored text, if it was read for this change
    };
    // True if the stored document has the state that `change` asks for.
    Result<bool> IsDone(const Change& change) const;
    Status Apply(const Change& change);

    // Returns the stored attributes of the node at `path`; an empty object if the node has no
    // attributes.
    Result<json::Value> Attributes(const std::string& path) const;
    Result<Change> WithAttributes(const std::string& path, const json::Value& attributes) const;
    // Returns the change that gives the array at `path` new metadata. Keeps members of the stored
    // document that the format does not define. Returns kNotFound if the array does not exist.
    Result<Change> WithArray(const std::string& path, const ArrayMetadata& metadata) const;

    // True if `group` has consolidated metadata: one document with the metadata of all nodes at and
    // below the group.
    Result<bool> HasConsolidated(const std::string& group) const;
    Status EraseConsolidated(const std::string& group);
    // Must be called after nodes at and below `path` were erased, or after keys were copied or
    // renamed without the functions of this class.
    void ForgetBelow(const std::string& path);
    void ForgetAll();
    // Returns the change that writes the consolidated metadata of `group`. Returns nullopt if no
    // node exists at or below `group`, for example because the store was deleted.
    Result<std::optional<Change>> Consolidated(const std::string& group) const;

    // Returns the text under `key`; nullopt if the key is absent.
    Result<std::optional<std::string>> Text(const std::string& key) const;
    // Returns the keys of the documents that may change when the array at `path` is resized or its
    // attributes change. In Zarr v2 they include those of the groups above, for netCDF-C.
    std::vector<std::string> KeysThatChangeWith(const std::string& path) const;

  private:
    // True if listings of the store may be refused, fail or lag, as those of object stores do.
    bool DistrustsListings() const { return store_.Traits().remote; }
    void Learn(const std::string& key);
    // Records the documents that the consolidated metadata `text` of `group` has.
    void LearnConsolidated(const std::string& group, std::string_view text);
    KnownDocuments KnownBelow(const std::string& group) const;

    Store& store_;
    NczarrDocuments& nczarr_;
    const Format format_;
    // Documents of a remote store, whose listings may be refused, fail or be outdated: those that
    // were in consolidated metadata before it was erased, and those that were written since.
    std::set<std::string> known_;
    std::set<std::string> known_groups_;  // groups whose documents are all in known_
};

}  // namespace zarr
