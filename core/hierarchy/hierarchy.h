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

// A direct member of a group.
struct Node {
    std::string name;
    std::string path;  // from the root, without a leading '/'
    NodeKind kind = NodeKind::kNone;
};

enum class UseConsolidated { kIfPresent, kNever };

// The number of groups above a node, without the root.
std::size_t DepthOf(const std::string& path);
// The version of the format that a store is of: v3 where its root has the document of that, as
// zarr-python decides it, else v2, as which v1 is read, too.
Result<Format> FormatOfStore(const Store& store);
// The kind of the node at `path`, by its documents, for writers: whatever else lies at or below
// `path`, as what a deletion that failed has left, is a group, too.
Result<NodeKind> OccupantAt(const Store& store, const std::string& path, Format format);

// True where an array of Zarr v1 lies at `path`, whole or damaged. Its document goes to `text`, if
// given.
Result<bool> HoldsV1Array(const Store& store, const std::string& path, Buffer* text = nullptr);
// kUnsupported where one does: they are only read.
Status CheckNoV1Array(const Store& store, const std::string& path);

// The tree of groups and arrays in a store. Paths are in the normal form of NormalizePath(). A
// document is read and parsed, and a prefix listed, when it is first asked for, and again only
// after Reload(), or after a HierarchyWriter of this process has changed the store; what failed is
// tried again. All methods are const and may be called from several threads.
class Hierarchy {
  public:
    // The root tells the version of the format, of all nodes; see FormatOfStore().
    // Looks for consolidated metadata there unless told not to. Where these cannot be used,
    // the documents themselves are read, and consolidated_fault() says why. Without consolidated
    // metadata arrays of Zarr v1 are found, too, wherever there is no document of v2. Arrays are
    // shared with hierarchies of the same `manner`: the ways of using arrays that their other users
    // notice, such as listing their chunks.
    static Result<std::shared_ptr<const Hierarchy>> Open(std::shared_ptr<const Store> store,
                                                         UseConsolidated use_consolidated,
                                                         std::shared_ptr<ArrayContext> context,
                                                         std::string manner = {});

    // The same hierarchy, but for arrays that have other metadata here than in the store, by path:
    // to read and write chunks before the metadata are written.
    std::shared_ptr<const Hierarchy> WithMetadata(
        std::map<std::string, ArrayMetadata> planned) const;

    // The store as given, with its consolidated metadata in front.
    const std::shared_ptr<const Store>& store() const { return store_; }
    ArrayContext& context() const { return *context_; }
    // Of the store; v2 where there are arrays of v1.
    Format format() const { return format_; }
    bool is_consolidated() const { return is_consolidated_; }
    // What is wrong with consolidated metadata that are there and not used; ok otherwise.
    const Status& consolidated_fault() const { return consolidated_fault_; }

    // The kind of the node at `path`, by its documents. In v2 a prefix without any is an implicit
    // group where the store can list and a node lies below. An array of Zarr v1 is known to the
    // other methods once this or Members() has found it.
    Result<NodeKind> KindOf(const std::string& path) const;
    // Whether KindOf() is an array, which takes fewer requests to say no; nothing is listed.
    Result<bool> HoldsArray(const std::string& path) const;
    // kUnsupported where what lies at `path` is only read, as Zarr v1 is.
    Status CheckChangeable(const std::string& path) const;

    // Forgets the nodes, which another process may have changed, for all users of the store in this
    // process.
    void Reload() const { NoteChange(*base_); }

    // The first failure of the store to give metadata or a listing since the last call; ok where
    // there was none. It may have been returned by another method, or hidden something that need
    // not be there.
    Status TakeFailure() const { return base_->TakeFailure(); }

    // What the store was asked for through this hierarchy, chunks included.
    const StoreCounters& counters() const { return base_->counters(); }

    // Checks the document of a group; one without is ok.
    Status CheckGroup(const std::string& path) const;

    // The direct children of a prefix, as Store::List() has them.
    Result<std::vector<StoreEntry>> List(const std::string& prefix) const;
    // The arrays and groups directly in a group, sorted by name.
    Result<std::vector<Node>> Members(const std::string& path) const;

    // What lies directly in a group and the consolidated metadata lack, sorted by name: arrays and
    // groups with documents of their own. Lists the group and looks at nothing that the metadata
    // have. Empty where they are not in use, and where listing takes requests over a network; what
    // cannot be looked at is left out.
    std::vector<Node> Unconsolidated(const std::string& path) const;

    // The attributes of a node; an empty object where it has none.
    Result<json::Value> Attributes(const std::string& path) const;

    // The validated metadata of an array, without opening it.
    Result<ArrayMetadata> Metadata(const std::string& path) const;

    // True of an array in consolidated metadata of which the store has no key, though it has keys
    // of other nodes. False if that takes requests over a network to tell.
    bool IsGone(const std::string& path) const;

    // Metadata() for who reads or writes its chunks: where consolidated metadata are in use, and
    // the store can be asked without requests over a network, its own document counts where that
    // says something else, which is told in `warnings`.
    Result<ArrayMetadata> CurrentMetadata(const std::string& path,
                                          std::vector<std::string>& warnings) const;

    // The attributes of an array as CurrentMetadata() reads its metadata; one warning for both
    // where they are in one document.
    Result<json::Value> CurrentAttributes(const std::string& path,
                                          std::vector<std::string>& warnings) const;

    // Returns the T that `load` computes from nodes of this hierarchy for `path`: a Result<T>.
    // Cached as the nodes are, one of each type for a path.
    template <class T, class Load>
    Result<std::shared_ptr<const T>> Derived(const std::string& path, Load&& load) const {
        if (planned_.empty())
            return nodes_->GetDerived<T>(path, load, [this] { return base_->failures(); });
        Result<T> loaded = load();
        if (!loaded.ok()) return loaded.status();
        return std::make_shared<const T>(loaded.Take());
    }

    // Opens an array: the same object that someone else holds open through this context, where its
    // metadata are still the same and its store answers in the same manner; of its cached chunks
    // those that have not changed remain.
    Result<std::shared_ptr<const Array>> OpenArray(const std::string& path) const;
    // The same, where its metadata were read just now.
    Result<std::shared_ptr<const Array>> OpenArray(const std::string& path,
                                                   ArrayMetadata metadata) const;

    // True where a node has a document. Of v1 only that of an array that was found.
    Result<bool> Has(const std::string& path, Document document) const;
    // The same of any key; for metadata of other software.
    Result<bool> HasKey(const std::string& key) const;
    // HasKey() of a key that is not one of Zarr's; false where the store refuses or fails.
    bool HoldsExtra(const std::string& key) const;
    // The JSON under a key; null where it is absent or cannot be read.
    json::Value MembersOfDocument(const std::string& key) const;

    // The key of a document of a node, for Store::Prefetch().
    std::string KeyOf(const std::string& path, Document document) const {
        return DocumentKey(path, document, FormatOf(path));
    }
    // How messages name a document of a node: by the key that it was read from.
    std::string NameOf(const std::string& path, Document document) const;

  private:
    Hierarchy() = default;

    Status UseConsolidatedMetadata();
    // `root` is the document of the root.
    Status UseV3Consolidated(Buffer root);
    // The document under a key of `store()`; and of the store without its consolidated metadata.
    Result<StoredDocument> DocumentAt(const std::string& key) const;
    Result<StoredDocument> OwnDocumentAt(const std::string& key) const;
    Result<NodeKind> DescribedKind(const std::string& path) const;
    Result<ArrayMetadata> Parse(const std::string& path, const StoredDocument& document) const;
    Result<json::Value> ParseAttributesOf(const StoredDocument& document) const;
    // HoldsV1Array(), where nothing of v2 is at `path`.
    Result<bool> FindV1(const std::string& path) const;
    Format FormatOf(const std::string& path) const;

    std::shared_ptr<const Store> store_;
    std::shared_ptr<const WatchedStore> base_;  // the store as given
    std::shared_ptr<NodeCache> nodes_;
    std::shared_ptr<ArrayContext> context_;
    std::string manner_;
    Format format_ = Format::kV2;
    bool is_consolidated_ = false;
    Status consolidated_fault_;
    std::map<std::string, ArrayMetadata> planned_;  // by path
};

}  // namespace zarr
