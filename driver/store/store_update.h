// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/json/value.h"
#include "core/store/store.h"
#include "core/store/store_lock.h"
#include "core/store/synchronizer.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Returns the locks for the creation or open option SYNCHRONIZER. `folder`, the value of the
// option, is a folder of lock files. Returns nullptr if `folder` is empty. Errors name the option
// and the folder.
zarr::Result<std::shared_ptr<zarr::Synchronizer>> OpenSynchronizer(const std::string& folder);

// Returns what a zarr::StoreLock of `store` locks: the folder of a local store, or the lock object
// of an object store. Stores in memory, and zip files, which are locked while they are open for
// update, exclude only threads of this process.
zarr::LockTarget LockTargetOf(const zarr::Store& store);
// Returns the wait of the configuration options, or the default wait if they are invalid.
zarr::LockWait DefaultLockWait();

// Returns the error for an attempt to change a dataset that is not open for update. `is_inherited`
// is true in a forked child, because only the process that opened the dataset may change the store.
zarr::Status NotForUpdate(bool is_inherited);

// Keeps a new store in an object store invisible to other programs, during the lifetime of this
// object. Store::Flush() makes it visible otherwise.
class CreationHold {
  public:
    explicit CreationHold(std::shared_ptr<zarr::Store> store) : store_(std::move(store)) {
        store_->BeginCreate();
    }
    ~CreationHold() { store_->EndCreate(); }
    CreationHold(const CreationHold&) = delete;
    CreationHold& operator=(const CreationHold&) = delete;

  private:
    const std::shared_ptr<zarr::Store> store_;
};

// Changes of a store that are not written yet: metadata, chunks of arrays, and attributes.
// Thread-safe.
class StoreUpdate {
  public:
    // `locks` protects keys of the store, and may be nullptr. `hierarchy` reads the store. It may
    // be nullptr if Attributes() is never called. `format` is the format of
    // a store that is being created; otherwise the format is read from the store.
    StoreUpdate(std::shared_ptr<zarr::Store> store, zarr::WriteConsolidated consolidate,
                std::shared_ptr<zarr::Synchronizer> locks = nullptr,
                std::shared_ptr<const zarr::Hierarchy> hierarchy = nullptr,
                std::optional<zarr::Format> format = std::nullopt)
        : store_(std::move(store)),
          hierarchy_(std::move(hierarchy)),
          locks_(std::move(locks)),
          is_of_new_store_(format.has_value()),
          metadata_(store_, consolidate, locks_, format) {
        if (!is_of_new_store_) metadata_.UseLock(LockTargetOf(*store_), DefaultLockWait());
    }

    // Returns an object for changes that another dataset makes in the same store. That dataset may
    // write to the array at `path`, so that IsUnwritten() is false here from now on.
    std::unique_ptr<StoreUpdate> ForOtherChanges(const std::string& path);

    // Sets how a change waits for another writer of the store. Call before the object is shared
    // between threads.
    void SetLockWait(const zarr::LockWait& wait) {
        if (!is_of_new_store_) metadata_.UseLock(LockTargetOf(*store_), wait);
    }
    // Waits until no other thread or process changes the store, and keeps them waiting while the
    // result exists. Each change of a document takes this lock itself; take it before changes that
    // belong together, and before reading what they depend on. A thread may take it again. A store
    // that is being created has no lock, because only its creator has its name. Pending chunks and
    // attributes need no lock before they are written.
    zarr::Result<zarr::StoreLock> Lock() { return metadata_.Lock(); }

    zarr::HierarchyWriter& metadata() { return metadata_; }
    // True if this object creates the store, so that no other process has added nodes to the store.
    bool is_of_new_store() const { return is_of_new_store_; }
    const std::shared_ptr<zarr::Store>& store() const { return store_; }

    // Creates an array, which may replace an existing array. Records the path for DeleteCreated().
    // Pending changes of attributes at `path` are discarded: `attributes` are all of the array.
    zarr::Status MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                           const zarr::json::Object& attributes);
    // Records the array at `path` as new, so that DeleteCreated() deletes it. Another object has
    // created the array, and nobody has written to it.
    void RecordCreated(const std::string& path);
    bool HasCreated(const std::string& path) const;
    // Removes `path` from the recorded new arrays, because the caller is replacing the array.
    // Returns false if `path` was not recorded.
    bool RemoveCreated(const std::string& path);
    // Deletes all arrays that were recorded as new, after a failed creation. Continues after a
    // failure, and returns the first failure.
    zarr::Status DeleteCreated();

    // Returns the writer of an array. This object owns the writer, and creates it at the first
    // call. Fails if a codec of the array cannot encode.
    zarr::Result<zarr::ArrayWriter*> WriterOf(const std::shared_ptr<const zarr::Array>& array);
    // True if the array at `path` is new, and nobody has opened a writer for it.
    bool IsUnwritten(const std::string& path) const;
    // True if no element of the array's absent chunks was written, so that they may get another
    // fill value: IsUnwritten(), or LetAbsentChunksBeUnwritten() was called and no written chunk
    // was omitted because it held only fill values. Writes pending chunks to find out.
    zarr::Result<bool> AreAbsentChunksUnwritten(const std::string& path, std::size_t threads);
    // Lets the absent chunks of new arrays count as unwritten after other chunks were written.
    // Suits a new raster that the caller fills.
    void LetAbsentChunksBeUnwritten() { absent_are_unwritten_ = true; }

    // Record whether chunks of the new array at `path` may be absent. RecordNew() records that they
    // may be, and that nobody has written to the array. MakeArray() and RecordCreated() call it.
    void RecordNew(const std::string& path);
    void RecordIncomplete(const std::string& path);
    void RecordComplete(const std::string& path);
    // Gives every element of the incomplete Zarr v2 arrays without a fill value a value: writes
    // absent chunks, which other programs would read from uninitialized memory. If very many chunks
    // are absent, states the fill value zero instead, with a warning. Call FlushChunks() first.
    zarr::Status DefineAbsentChunks(std::size_t threads);

    // Writes the consolidated metadata, then flushes the store. A new store in an object store
    // becomes visible, unless the metadata could not be written. Must be the last call.
    zarr::Status Close();

    // Takes ownership of the staging store. If RenameToFinal() is never called, the staging store
    // is deleted with this object.
    void SetReplacement(std::unique_ptr<StoreReplacement> replacement) {
        replacement_ = std::move(replacement);
    }
    // Renames the new store to its final name. Close() must have been called.
    zarr::Status RenameToFinal() {
        return replacement_ != nullptr ? replacement_->Commit() : zarr::Status();
    }

    // Discards the pending chunks of an array that the caller will delete, and destroys its writer.
    void Forget(const zarr::Array& array);

    // Writes the pending chunks of all arrays at and below `path`, and destroys the writers of
    // these arrays. Call Release() before the arrays change. References to the writers become
    // invalid. Chunks that cannot be written stay pending.
    zarr::Status Release(const std::string& path, std::size_t threads);
    // Sets the fill value of an array. `element` is one element in the host's byte order; nullopt
    // makes the fill value count as data, which Zarr v2 expresses by a null fill value. Absent
    // chunks are first written with the old fill value, so that reads return the values as before.
    // Writes pending chunks and destroys the writer of the array; the array must be opened again
    // afterwards.
    zarr::Status SetFillValue(const zarr::Hierarchy& hierarchy, const std::string& path,
                              const std::optional<std::string>& element, std::size_t threads);
    // Discards the pending chunks, pending attributes and writers of all nodes at and below `path`.
    // Call Discard() after deleting the nodes.
    void Discard(const std::string& path);

    // Returns the attributes of a node, including pending changes. Fails if the stored attributes
    // are not a JSON object.
    zarr::Result<zarr::json::Value> Attributes(const std::string& path) const;
    // Changes an attribute of a node. The change stays pending until StoreAttributes() writes all
    // attributes of the node together. Attributes that are not a JSON object fail there.
    void ChangeAttribute(const std::string& path, zarr::AttributeChange change);
    // Returns the pending changes of a node's attributes.
    zarr::AttributeChanges PendingAttributes(const std::string& path) const;
    // Returns the pending change of the attribute `name` of a node; nullopt if there is none.
    std::optional<zarr::AttributeChange> PendingAttribute(const std::string& path,
                                                          std::string_view name) const;
    // True if attributes of a node have pending changes.
    bool HasPending(const std::string& path) const;
    // Moves what is recorded of nodes at and below the path `from`, such as pending attributes, to
    // the path `to`.
    void MoveNode(const std::string& from, const std::string& to);

    // Writes the pending chunks of all arrays. Continues after a failure, and returns the first
    // failure. Chunks that cannot be written stay pending.
    zarr::Status FlushChunks(std::size_t threads);
    // `merge` merges changes of attributes that others have changed, too. It may be empty: the
    // pending value then replaces the stored one. Changes that cannot be stored stay pending.
    zarr::Status StoreAttributes(const zarr::AttributeMerge& merge = {});
    zarr::Status Flush(std::size_t threads);
    // Calls Flush(), writes the consolidated metadata and flushes the store.
    zarr::Status Finish(std::size_t threads);

  private:
    // Declared before store_, so that the staging store is deleted after store_ is destroyed.
    std::unique_ptr<StoreReplacement> replacement_;  // nullptr unless a staging store is updated
    const std::shared_ptr<zarr::Store> store_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const std::shared_ptr<zarr::Synchronizer> locks_;
    const bool is_of_new_store_;
    zarr::HierarchyWriter metadata_;
    mutable std::mutex mutex_;
    std::set<std::string> made_;        // paths of arrays created by this object
    std::set<std::string> incomplete_;  // paths of new arrays whose chunks may be absent
    std::set<std::string> unwritten_;   // paths of new arrays that had no writer
    // Paths of arrays of which a written chunk is absent, because it held only fill values.
    std::set<std::string> omitted_;
    bool absent_are_unwritten_ = false;
    std::map<const zarr::Array*, std::unique_ptr<zarr::ArrayWriter>> writers_;

    mutable std::mutex attributes_mutex_;
    std::map<std::string, zarr::AttributeChanges> changed_;  // pending changes, by path of the node
};

}  // namespace zarr_driver
