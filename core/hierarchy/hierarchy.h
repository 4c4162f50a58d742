// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array.h"
#include "core/hierarchy/node_cache.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/documents.h"
#include "core/store/store.h"
#include "core/store/watched_store.h"

namespace zarr {

// An array or a group that is a direct member of another group.
struct Node {
    std::string name;
    std::string path;  // path from the root, without a leading '/'
    NodeKind kind = NodeKind::kNone;
};

enum class UseConsolidated { kIfPresent, kNever };

// Returns the number of groups above the node at `path`, not counting the root.
std::size_t DepthOf(const std::string& path);
// Returns the Zarr version of `store`: v3 if the root has a `zarr.json`, as in zarr-python; else
// v2. A store with arrays of Zarr v1 counts as v2.
Result<Format> FormatOfStore(const Store& store);
// Returns the kind of the node that a writer finds at `path`. Without a metadata document, returns
// kGroup if `path` has prefixes or attributes, for example after a failed deletion; else kNone.
Result<NodeKind> KindForWriting(const Store& store, const std::string& path, Format format);

// True if an array of Zarr v1 is at `path`, even if its metadata is damaged. Copies the metadata
// document into `text`, unless `text` is nullptr.
Result<bool> HoldsV1Array(const Store& store, const std::string& path, Buffer* text = nullptr);
// Returns kUnsupported if an array of Zarr v1 is at `path`, because such arrays are read-only.
Status CheckNoV1Array(const Store& store, const std::string& path);

// The tree of groups and arrays in a store. Paths have the normal form of NormalizePath().
// Thread-safe.
//
// Documents and listings are cached until Reload() is called, or a HierarchyWriter of this process
// changes the store. Errors are not cached.
class Hierarchy {
  public:
    // Opens the hierarchy of `store`, in the Zarr version that FormatOfStore() returns.
    //
    // Uses consolidated metadata of the root unless `use_consolidated` is kNever. If that metadata
    // is invalid, consolidated_error() says why, and the nodes' own documents are read. Arrays of
    // Zarr v1 are found only without consolidated metadata, at paths without a v2 document.
    //
    // `manner` is a text that describes a special use of the arrays, such as "chunks are listed".
    // Hierarchies share open arrays only if their `manner` is equal.
    static Result<std::shared_ptr<const Hierarchy>> Open(std::shared_ptr<const Store> store,
                                                         UseConsolidated use_consolidated,
                                                         std::shared_ptr<ArrayContext> context,
                                                         std::string manner = {});

    // Returns a hierarchy in which some arrays have the metadata in `planned` (by path) instead of
    // their stored metadata. Used to read and write chunks before the planned metadata is stored.
    std::shared_ptr<const Hierarchy> WithMetadata(
        std::map<std::string, ArrayMetadata> planned) const;

    // Returns the store. If consolidated metadata is used, reads of metadata documents return the
    // documents in the consolidated metadata.
    const std::shared_ptr<const Store>& store() const { return store_; }
    ArrayContext& context() const { return *context_; }
    // The Zarr version of the store; v2 if the store has arrays of v1.
    Format format() const { return format_; }
    bool is_consolidated() const { return is_consolidated_; }
    // Returns why the store's consolidated metadata could not be used. Ok if it is used, does not
    // exist, or was not asked for.
    const Status& consolidated_error() const { return consolidated_error_; }

    // Returns the kind of the node at `path`. In v2, a prefix without documents is a group if
    // listings show a node below.
    //
    // Other methods recognise a Zarr v1 array only after KindOf() or Members().
    Result<NodeKind> KindOf(const std::string& path) const;
    // True if KindOf() would return kArray. HoldsArray() needs fewer requests than KindOf() and
    // lists nothing.
    Result<bool> HoldsArray(const std::string& path) const;
    // Returns kUnsupported if `path` is an array of Zarr v1, which is read-only.
    Status CheckChangeable(const std::string& path) const;

    // Discards the cached nodes, because another process may have changed them. Affects all users
    // of the store in this process.
    void Reload() const { NotifyChange(*base_); }

    // Returns the first failure, since the last call, of reading a metadata document or listing a
    // prefix; ok if there is none. Use after methods that treat such a failure like an absent key.
    Status TakeFailure() const { return base_->TakeFailure(); }

    // Counts of the requests to the store through this hierarchy, including requests for chunks.
    const StoreCounters& counters() const { return base_->counters(); }

    // Validates the metadata document of the group at `path`; ok if the group has no document.
    Status CheckGroup(const std::string& path) const;

    // True if statements that should agree may be compared, although opening needs only one of
    // them. False for remote stores, where reading the other one takes a round trip. Decides about
    // a warning alone.
    bool ComparesRepeatedStatements() const { return !base_->Traits().remote; }

    // Returns the direct children of `prefix` as Store::List() does.
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const;
    // Returns the arrays and groups directly in the group at `path`, sorted by name.
    Result<std::vector<Node>> Members(const std::string& path) const;

    // Returns the arrays and groups directly in the group `path` that consolidated metadata lacks,
    // sorted by name. Skips unreadable nodes. Empty unless ComparesOwnDocuments().
    std::vector<Node> Unconsolidated(const std::string& path) const;

    // Returns the attributes of the node at `path`; an empty object if the node has no attributes.
    Result<json::Value> Attributes(const std::string& path) const;

    // Returns the validated metadata of the array at `path` without opening the array.
    Result<ArrayMetadata> Metadata(const std::string& path) const;

    // True if consolidated metadata contains the array at `path`, but the store has no key of the
    // array. False without a check if the store has no folders, or unless ComparesOwnDocuments().
    bool IsMissingInStore(const std::string& path) const;

    // Returns the metadata of the array at `path` for reading or writing chunks. If consolidated
    // metadata differs from the array's own document and ComparesOwnDocuments(), uses the document
    // and adds to `warnings`.
    Result<ArrayMetadata> CurrentMetadata(const std::string& path,
                                          std::vector<std::string>& warnings) const;

    // Returns the attributes of the array at `path` for callers that read or write chunks. Chooses
    // between consolidated and own attributes like CurrentMetadata(). Adds no warning that
    // `warnings` contains already.
    Result<json::Value> CurrentAttributes(const std::string& path,
                                          std::vector<std::string>& warnings) const;

    // Returns the value of type T that `load`, which returns Result<T>, computes from nodes of this
    // hierarchy. Cached with the node at `path`, once for each T, until that node is cleared.
    template <class T, class Load>
    Result<std::shared_ptr<const T>> Derived(const std::string& path, Load&& load) const {
        if (planned_.empty())
            return nodes_->GetDerived<T>(path, load, [this] { return base_->failures(); });
        Result<T> loaded = load();
        if (!loaded.ok()) return loaded.status();
        return std::make_shared<const T>(loaded.Take());
    }

    // Opens the array at `path`, or returns the Array that is still open from an earlier call with
    // the same context, `manner`, metadata and access options. Chunks that have changed in the
    // store are first removed from its cache.
    Result<std::shared_ptr<const Array>> OpenArray(const std::string& path) const;
    // Opens the array at `path` with `metadata`, which the caller has just read from the store.
    Result<std::shared_ptr<const Array>> OpenArray(const std::string& path,
                                                   ArrayMetadata metadata) const;

    // True if the node at `path` has a document of the kind `document`. For an array of Zarr v1,
    // true only after KindOf() or Members() has found the array.
    Result<bool> Has(const std::string& path, Document document) const;
    // True if the store has `key`. Any key is allowed, even the key of a metadata document of other
    // software.
    Result<bool> HasKey(const std::string& key) const;
    // True if the store has `key`, which belongs to other software than Zarr. False if the store
    // denies access or fails.
    bool HasForeignKey(const std::string& key) const;
    // Returns the JSON document under `key`; null if the key is absent, unreadable or not JSON.
    json::Value MembersOfDocument(const std::string& key) const;

    // Returns the key of a document of the node at `path`, for use with Store::Prefetch().
    std::string KeyOf(const std::string& path, Document document) const {
        return DocumentKey(path, document, FormatOf(path));
    }
    // Returns the key that the document of the node at `path` was read from, for use in messages.
    std::string NameOf(const std::string& path, Document document) const;

  private:
    Hierarchy() = default;

    // True if consolidated metadata is in use, and is compared with the nodes' own documents to
    // notice that it is outdated. False for remote stores: that would request each document that
    // consolidated metadata spares. Documents that are equal give equal answers in any case.
    bool ComparesOwnDocuments() const { return is_consolidated_ && !base_->Traits().remote; }
    // True if reads notice that the store was replaced. False for remote stores, where that would
    // cost a request for each read.
    bool NoticesReplacement() const { return !base_->Traits().remote; }
    Status UseConsolidatedMetadata();
    // Uses `consolidated`, the consolidated metadata inside `root`, which is the text of the root's
    // `zarr.json`. Does nothing if `consolidated` is empty.
    Status UseV3Consolidated(Buffer root, std::string_view consolidated);
    // DocumentAt() returns the document under `key` from the consolidated metadata, if that is in
    // use. OwnDocumentAt() always reads the document from the store.
    Result<StoredDocument> DocumentAt(const std::string& key) const;
    Result<StoredDocument> OwnDocumentAt(const std::string& key) const;
    Result<NodeKind> DescribedKind(const std::string& path) const;
    // Returns the document by which an open array notices that it was replaced. Returns nullptr for
    // a remote store, and for an array with planned metadata.
    std::unique_ptr<const ArrayDocument> WatchedDocument(const std::string& path) const;
    Result<ArrayMetadata> Parse(const std::string& path, const StoredDocument& document) const;
    Result<json::Value> ParseAttributesOf(const StoredDocument& document) const;
    // True if a Zarr v1 array is at `path`. Must only be called if `path` has no v2 document. The
    // result is cached.
    Result<bool> FindV1(const std::string& path) const;
    Format FormatOf(const std::string& path) const;

    std::shared_ptr<const Store> store_;
    std::shared_ptr<const WatchedStore> base_;  // the store as passed to Open()
    std::shared_ptr<NodeCache> nodes_;
    std::shared_ptr<ArrayContext> context_;
    std::string manner_;
    Format format_ = Format::kV2;
    bool is_consolidated_ = false;
    Status consolidated_error_;
    std::map<std::string, ArrayMetadata> planned_;  // metadata set by WithMetadata(), by array path
};

}  // namespace zarr
