// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>

#include "core/array/array_writer.h"
#include "core/hierarchy/hierarchy.h"
#include "core/hierarchy/hierarchy_writer.h"
#include "core/json/value.h"
#include "core/store/store.h"
#include "core/store/synchronizer.h"
#include "driver/store/store_replacement.h"

namespace zarr_driver {

// Returns the locks for the option SYNCHRONIZER, which names a `folder` of lock files; nullptr if
// `folder` is empty. Errors name the option and the folder.
zarr::Result<std::shared_ptr<zarr::Synchronizer>> OpenSynchronizer(const std::string& folder);

// Returns the error for changing a dataset that is not open for update. `is_inherited` is true in a
// forked child: only the process that opened the dataset may change the store.
zarr::Status NotForUpdate(bool is_inherited);

// Pending changes of a store, shared by the raster and the multidimensional API: metadata, written
// arrays, and changed attributes. Thread-safe.
class StoreUpdate {
  public:
    // `locks` protects keys of the store, and may be nullptr. `hierarchy` reads the store, and may
    // be nullptr if Attributes() and ChangeAttribute() are not called. `format` is given for a
    // store that is being created; otherwise the store tells.
    StoreUpdate(std::shared_ptr<zarr::Store> store, zarr::WriteConsolidated consolidate,
                std::shared_ptr<zarr::Synchronizer> locks = nullptr,
                std::shared_ptr<const zarr::Hierarchy> hierarchy = nullptr,
                std::optional<zarr::Format> format = std::nullopt)
        : store_(std::move(store)),
          hierarchy_(std::move(hierarchy)),
          locks_(std::move(locks)),
          is_of_new_store_(format.has_value()),
          metadata_(store_, consolidate, locks_, format) {}

    zarr::HierarchyWriter& metadata() { return metadata_; }
    // True if this object creates the store. No other process has added nodes to the store yet.
    bool is_of_new_store() const { return is_of_new_store_; }
    const std::shared_ptr<zarr::Store>& store() const { return store_; }

    // Creates an array, replacing an existing one, and records its path for DeleteCreated().
    zarr::Status MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                           const zarr::json::Object& attributes);
    // Records that another object created the array at `path`, which has not been written to.
    void RecordCreated(const std::string& path);
    bool HasCreated(const std::string& path) const;
    // Removes `path` from the arrays that MakeArray() recorded, because a caller replaces the
    // array. Returns false if `path` was not recorded.
    bool RemoveCreated(const std::string& path);
    // Deletes all recorded arrays after a failed creation. Tries all of them, and returns the first
    // failure.
    zarr::Status DeleteCreated();

    // Returns the writer of an array, which this object owns. Creates the writer at the first call.
    // Fails if a codec of the array cannot encode.
    zarr::Result<zarr::ArrayWriter*> WriterOf(const std::shared_ptr<const zarr::Array>& array);
    // True if a writer was ever opened for the array at `path`.
    bool HasWritten(const std::string& path) const;

    // Writes the consolidated metadata, then flushes the store. Call it last.
    zarr::Status Close();

    // Takes over the staging store. Without a later RenameToFinal() its files are deleted with this
    // object.
    void SetReplacement(StoreReplacement replacement) { replacement_ = std::move(replacement); }
    // Gives a new, closed store its final name.
    zarr::Status RenameToFinal() { return replacement_.Commit(); }

    // Discards the pending chunks of an array that is to be deleted, and destroys its writer.
    void Forget(const zarr::Array& array);

    // Writes the pending chunks of the arrays at and below `path`, and destroys their writers. To
    // be called before the arrays change; writers obtained earlier become invalid. Chunks that
    // cannot be written stay pending.
    zarr::Status Release(const std::string& path, std::size_t threads);
    // Makes the fill value of an array count as data, no longer as missing data. Zarr v2 expresses
    // that by a null fill value, so absent chunks are written first. Writes pending chunks and
    // destroys the writer of the array; open the array again afterwards. `hierarchy` reads the
    // array.
    zarr::Status MakeFillData(const zarr::Hierarchy& hierarchy, const std::string& path,
                              std::size_t threads) {
        return SetFillValue(hierarchy, path, std::nullopt, threads);
    }
    // Sets the fill value of an array: `element` is one element in the host's byte order. Absent
    // chunks are written first, so that their values do not change. Otherwise like MakeFillData().
    zarr::Status SetFillValue(const zarr::Hierarchy& hierarchy, const std::string& path,
                              const std::optional<std::string>& element, std::size_t threads);
    // Discards pending chunks, pending attributes and writers of the nodes at and below `path`. To
    // be called after the nodes were deleted.
    void Discard(const std::string& path);

    // Returns the attributes of a node with the pending changes. Fails if the stored attributes are
    // no JSON object.
    zarr::Result<zarr::json::Value> Attributes(const std::string& path) const;
    // Sets an attribute, or removes it if `value` is nullopt. The change stays pending until
    // StoreAttributes(), which writes the attributes of a node together.
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);
    // Moves the pending attributes of the nodes at and below `from` to `to`.
    void MoveAttributes(const std::string& from, const std::string& to);

    // Writes all pending chunks. Tries every array, and returns the first failure; failed chunks
    // stay pending.
    zarr::Status FlushChunks(std::size_t threads);
    zarr::Status StoreAttributes();
    zarr::Status Flush(std::size_t threads);
    // Calls Flush() and writes the consolidated metadata.
    zarr::Status Finish(std::size_t threads);

  private:
    zarr::Result<zarr::json::Value> AttributesLocked(const std::string& path) const;

    StoreReplacement replacement_;  // declared before store_, so destroyed after it
    const std::shared_ptr<zarr::Store> store_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const std::shared_ptr<zarr::Synchronizer> locks_;
    const bool is_of_new_store_;
    zarr::HierarchyWriter metadata_;
    mutable std::mutex mutex_;
    std::set<std::string> made_;     // paths of arrays created by this object
    std::set<std::string> written_;  // paths of arrays that had a writer
    std::map<const zarr::Array*, std::unique_ptr<zarr::ArrayWriter>> writers_;

    mutable std::mutex attributes_mutex_;
    // All attributes of a node: before its first pending change, and with all pending changes.
    struct Changed {
        zarr::json::Value before;
        zarr::json::Value after;
    };
    std::map<std::string, Changed> changed_;  // by path of the node
};

}  // namespace zarr_driver
