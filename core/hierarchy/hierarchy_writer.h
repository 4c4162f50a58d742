// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/array/array_writer.h"
#include "core/hierarchy/attribute_changes.h"
#include "core/hierarchy/change_intent.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/node_documents.h"
#include "core/json/value.h"
#include "core/metadata/nczarr_documents.h"
#include "core/store/store.h"
#include "core/store/store_lock.h"
#include "core/store/synchronizer.h"

namespace zarr {

// Controls whether HierarchyWriter::Finish() writes `.zmetadata`.
enum class WriteConsolidated { kIfPresent, kYes, kNo };

enum class IfExists { kFail, kReplace };

// Creates and changes the nodes (groups and arrays) of a store. Metadata documents are formatted
// like those of zarr-python. Readers never see an incomplete array, even if a writer is killed:
// `.zarray` is written last and erased first.
//
// Before a change, the consolidated metadata of the root and of all groups above the node is
// erased; Finish() writes it again. The additional metadata of netCDF-C is updated in stores that
// have it; see NczarrDocuments.
//
// Paths may have any form that NormalizePath() accepts; "" is the root. Error messages begin with
// the key. An invalid request, or a reserved name such as ".zarray", returns kInvalidArgument. A
// call that failed because of the store can be repeated; see RenameNode() for an exception.
//
// Thread-safe. Each change is made under the store's lock, see UseLock(). Programs without that
// lock are excluded only by `locks`: `.zattrs`, `.zarray` and `.zmetadata` are
// replaced under their locks, as in zarr-python. With locks, `.zmetadata` contains the changes of
// each writer that has called Finish(). Without locks, `.zmetadata` is complete only after the last
// writer's Finish().
class HierarchyWriter {
  public:
    // `locks` may be nullptr. `format` is the Zarr version of a new store; nullopt reads the
    // version from the store.
    explicit HierarchyWriter(std::shared_ptr<Store> store,
                             WriteConsolidated consolidated = WriteConsolidated::kIfPresent,
                             std::shared_ptr<Synchronizer> locks = nullptr,
                             std::optional<Format> format = std::nullopt)
        : store_(std::move(store)),
          locks_(std::move(locks)),
          nczarr_(store_, locks_),
          consolidated_(consolidated) {
        if (format) documents_.emplace(*store_, nczarr_, *format);
    }

    // Makes each later change take the lock of `target`, and wait for it within `wait`. A caller
    // that makes several changes as one takes the lock by Lock() first. Call before the object is
    // shared between threads. Without this call, Lock() returns a lock that excludes nobody.
    void UseLock(LockTarget target, const LockWait& wait);
    // Takes the lock of the store. Undoes or finishes what a killed writer of a local folder has
    // left: BeginChange(), a node that was made or deleted, and erased consolidated metadata.
    Result<StoreLock> Lock();

    // Begins to change documents as one: those of the nodes at `paths`, and what later calls
    // change. If the process is killed before EndChange(), the next writer undoes the changes. The
    // caller holds the lock.
    Status BeginChange(const std::vector<std::string>& paths);
    Status EndChange();
    // Restores the documents as they were at BeginChange(), except what other programs have changed
    // since. Fails without a change if nodes among them have been replaced since.
    Status UndoChange();

    // Creates the group at `path` and all missing groups above, from the root down. Removes stray
    // chunks at `path`, which a killed deletion leaves.
    Status CreateGroup(std::string_view path);

    // Returns the Zarr version that was passed to the constructor. Without one, returns the version
    // of the store.
    Result<Format> StoreFormat();

    // Creates an array with attributes, and the missing groups above it. If a node exists at
    // `path`, kFail returns an error, and kReplace deletes the node first, unless it is the root.
    // Removes stray chunks at `path`, which a failed deletion leaves.
    Status CreateArray(std::string_view path, const ArrayMetadata& metadata,
                       const json::Object& attributes = {}, IfExists if_exists = IfExists::kFail);

    // Replaces all attributes of the node at `path`. `attributes` must be a JSON object. An empty
    // object erases `.zattrs` in a v2 store.
    Status SetAttributes(std::string_view path, const json::Value& attributes);

    // Applies `changes` to the stored attributes of the node at `path`. Keeps changes that other
    // writers made to other attributes. `merge` decides on attributes that others have changed,
    // too; see ApplyChanges().
    Status ChangeAttributes(std::string_view path, const AttributeChanges& changes,
                            const AttributeMerge& merge = {});
    // Applies the difference between two JSON objects; see DifferenceOf().
    Status ChangeAttributes(std::string_view path, const json::Value& before,
                            const json::Value& after);

    // Replaces the metadata of the array at `path`; chunks stay unchanged. Stored members that the
    // format does not define stay, unless `metadata` has a member of that name.
    Status ReplaceMetadata(std::string_view path, const ArrayMetadata& metadata);

    // Deletes a node and every key below it. Returns kNotFound if `path` has no node and no chunks;
    // kInvalidArgument if `path` is the root.
    Status DeleteNode(std::string_view path);

    // Deletes nodes as one change, like DeleteNode(): if the process is killed, the next writer
    // deletes the rest. Nodes that do not exist are skipped, except the first.
    Status DeleteNodes(const std::vector<std::string>& paths);

    // Renames a node within its group, to a name that no node has. The rename is atomic if the
    // store can rename. Otherwise the node is copied and the old node is erased; if erasing fails,
    // both exist until DeleteNode() of the old node succeeds.
    Status RenameNode(std::string_view path, std::string_view new_name);

    // Copies the node at `from_path` of the store `from`, with all keys below, to `path`, which
    // must not exist or be the root. Both stores must have the same Zarr version. Creates missing
    // groups above `path`. Leaves nothing of the copy after an error.
    Status CopyNode(const Store& from, std::string_view from_path, std::string_view path);

    // Writes consolidated metadata of the root, whatever WriteConsolidated the constructor got.
    // Writes nothing if the store has no nodes, because another writer may have deleted the store.
    Status Consolidate();

    // Writes the consolidated metadata that changes have erased. With WriteConsolidated::kYes,
    // always writes the root's consolidated metadata. The writer may be used afterwards; later
    // changes need another call of Finish().
    Status Finish();

  private:
    // True if Finish() has something of this writer to do.
    bool HasOwnWork();
    Result<StoreLock> LockWithin(const LockWait& wait);
    Status Recover();
    // Undoes changes of documents and nodes. Keeps what other programs have changed since.
    Status Restore(const ChangeIntent& intent);
    Result<bool> HasReplacedNode(const ChangeIntent& intent);
    // Adds a document to the change, as it is before.
    void Remember(const std::string& key, std::optional<std::string> before);
    // FolderIdentity() of the node of the document `key`; empty if the store is not a local folder.
    std::string FolderOf(const std::string& key) const;
    // How a change of a document is undone.
    struct Undoing {
        bool is_replaced = false;                     // the document is that of another node by now
        std::optional<NodeDocuments::Change> change;  // nullopt if the document is kept
    };
    Result<Undoing> UndoingOf(const std::string& key, const ChangeIntent::Document& document);
    // Returns the text of the document that makes `path` a node; nullopt if there is no node.
    Result<std::optional<std::string>> OwnDocument(const std::string& path) const;
    // Records what is not finished, for the case that this process is killed. An error names `key`,
    // the document that is not changed because of it; empty if none.
    Status WriteIntent(std::string_view key = {});
    Status MakeGroups(const std::string& path);
    // Returns ok if a node can be created at `path`: no path above is an array, and neither `path`
    // nor a path above is a Zarr v1 array.
    Status CheckPlace(const std::string& path) const;
    Status ReplaceAttributes(const std::string& node, const json::Value& attributes);
    Result<bool> IsOccupied(const std::string& path) const;
    Result<bool> EraseStrayChunks(const std::string& path);
    Status EraseNode(const std::string& path);
    Result<bool> FindForDeletion(const std::string& node, Format format);
    Status EraseNodes(const std::map<std::string, std::optional<std::string>>& nodes,
                      Format format);
    Status MoveNode(const std::string& path, const std::string& target);
    // Erases the consolidated metadata of the groups at and above `path`, because the document
    // `key` is about to change; empty if a node is made or deleted.
    // `is_recorded` is false if the change goes on although it could not be recorded.
    Status EraseConsolidated(const std::string& path, std::string_view key = {},
                             bool is_recorded = true);
    enum class IfAbsent { kLeave, kWrite };
    Status WriteConsolidatedAt(const std::string& path, IfAbsent if_absent);
    Result<NodeDocuments*> Documents() const;
    // Calls `make` for a change of a document of `node`, erases the consolidated metadata that this
    // change would outdate, and applies the change. In Zarr v3, erasing may change that document,
    // so `make` is called again.
    Status Change(const std::string& node,
                  const std::function<Result<NodeDocuments::Change>()>& make);

    std::optional<LockTarget> lock_target_;
    LockWait lock_wait_;
    std::optional<IntentFile> intent_file_;  // nullopt unless the store is a local folder
    std::map<std::string, ChangeIntent::Document> changing_;   // since BeginChange()
    std::map<std::string, std::optional<std::string>> nodes_;  // made or deleted right now
    std::mutex mutex_;
    std::shared_ptr<Store> store_;
    std::shared_ptr<Synchronizer> locks_;
    mutable NczarrDocuments nczarr_;
    mutable std::optional<NodeDocuments> documents_;  // nullopt until the Zarr version is known
    WriteConsolidated consolidated_;
    std::set<std::string> touched_;  // groups that have changed, or that contain changed nodes
    std::set<std::string> erased_;   // groups whose `.zmetadata` Finish() must write again
    std::set<std::string> adopted_;  // such groups of another writer, which may have been killed
    bool is_finished_ = false;       // true once Finish() has succeeded
};

// Erases the chunks of `array` outside of the chunk grid of `kept`, whose shape may differ from the
// array's. Changes shards that are partly inside under `locks`, which may be nullptr.
Status EraseChunksOutside(Store& store, const Array& array, const ArrayMetadata& kept,
                          const std::shared_ptr<Synchronizer>& locks);

// Stores each absent chunk of `array`, filled with the old fill value. Call before the stored
// metadata gets a new fill value, so that elements keep their values. `writer` must use the new
// metadata. Returns kUnsupported if the store cannot list.
Status StoreAbsentChunks(const Array& array, ArrayWriter& writer, std::size_t threads);

// Changes the shape of an array, and erases chunks outside of the new shape. In chunks that the new
// edge cuts, elements beyond the edge get the fill value, because a later growth makes them
// visible.
//
// If the process is killed, the array is readable and has the old or the new shape. With the old
// shape, elements outside of the new shape may have lost their values.
//
// `writer` writes the array with the old shape and must have no pending chunks. Afterwards, open
// the array again and do not use `writer`.
Status ResizeArray(HierarchyWriter& metadata, Store& store, ArrayWriter& writer,
                   const std::vector<std::uint64_t>& shape, std::size_t threads);

}  // namespace zarr
