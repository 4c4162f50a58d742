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

// The locks that the option SYNCHRONIZER asks for; nullptr where it is empty. Errors name the
// option and the folder.
zarr::Result<std::shared_ptr<zarr::Synchronizer>> OpenSynchronizer(const std::string& folder);

// Why a dataset cannot be changed: it was opened for reading; or, where it is inherited, by a
// process that this one was forked from, and only that one changes the store through it.
zarr::Status NotForUpdate(bool is_inherited);

// A store that is being written, by either API: its metadata, the arrays that have been written to,
// and the attributes that have changed and are not stored yet. Thread-safe.
class StoreUpdate {
  public:
    // `locks`, of the keys of the store, may be nullptr. `hierarchy` reads the store; it may be
    // nullptr where Attributes() and ChangeAttribute() are not called. `format` is that of a store
    // that is made; without, the store is asked.
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
    // True where the store is made by this object: others have not added to it yet.
    bool is_of_new_store() const { return is_of_new_store_; }
    const std::shared_ptr<zarr::Store>& store() const { return store_; }

    // Makes an array, in place of one that is there, and remembers that it did.
    zarr::Status MakeArray(const std::string& path, const zarr::ArrayMetadata& metadata,
                           const zarr::json::Object& attributes);
    // An array that MakeArray() of another object has made, and that has not been written to.
    void NoteMade(const std::string& path);
    bool HasMade(const std::string& path) const;
    // Forgets that MakeArray() has made an array, which a caller replaces; false where it has not.
    bool TakeMade(const std::string& path);
    // Deletes what MakeArray() has made, for a creation that failed. Tries all, and returns the
    // first failure.
    zarr::Status EraseMade();

    // The writer of an array; made when first asked for. Fails where its codecs cannot encode.
    zarr::Result<zarr::ArrayWriter*> WriterOf(const std::shared_ptr<const zarr::Array>& array);
    // True once something was written to the array at a path.
    bool HasWritten(const std::string& path) const;

    // Writes the consolidated metadata and what the store has held back; to be called last.
    zarr::Status Close();

    // Keeps a new store where it is built until TakePlace(); without that it is removed with this
    // object.
    void SetReplacement(StoreReplacement replacement) { replacement_ = std::move(replacement); }
    // Gives a new store that is closed its name.
    zarr::Status TakePlace() { return replacement_.Commit(); }

    // Drops what is pending of an array that is to be deleted, and its writer.
    void Forget(const zarr::Array& array);

    // Stores what is pending of the arrays at and below a path, and forgets their writers, which
    // must not be used any more: before the arrays change. What fails stays.
    zarr::Status Release(const std::string& path, std::size_t threads);
    // Makes the fill value of an array, which `hierarchy` reads, stand for data and not for missing
    // data. Zarr v2 can only say so by having none, so that its absent chunks are stored before.
    // Stores what is pending of the array, and forgets its writer; it is to be opened anew.
    zarr::Status MakeFillData(const zarr::Hierarchy& hierarchy, const std::string& path,
                              std::size_t threads) {
        return SetFillValue(hierarchy, path, std::nullopt, threads);
    }
    // Gives an array another fill value, one element in the host's byte order. Its absent chunks
    // are stored before, so that they keep their values. Otherwise like MakeFillData().
    zarr::Status SetFillValue(const zarr::Hierarchy& hierarchy, const std::string& path,
                              const std::optional<std::string>& element, std::size_t threads);
    // Drops what is pending of them, attributes too, and their writers: after they are gone.
    void Discard(const std::string& path);

    // The attributes of a node as they will be; an error where the stored ones are no JSON.
    zarr::Result<zarr::json::Value> Attributes(const std::string& path) const;
    // Sets an attribute, or removes it; each node's are stored together, at StoreAttributes().
    zarr::Status ChangeAttribute(const std::string& path, const std::string& name,
                                 std::optional<zarr::json::Value> value);
    // The changed attributes of the nodes at and below `from` become those of `to`.
    void MoveAttributes(const std::string& from, const std::string& to);

    // These store what is pending. They try everything and return the first failure; what fails is
    // kept for the next time.
    zarr::Status FlushChunks(std::size_t threads);
    zarr::Status StoreAttributes();
    zarr::Status Flush(std::size_t threads);
    // Flush(), and the consolidated metadata.
    zarr::Status Finish(std::size_t threads);

  private:
    zarr::Result<zarr::json::Value> AttributesLocked(const std::string& path) const;

    StoreReplacement replacement_;  // before the store: what is open in it is closed first
    const std::shared_ptr<zarr::Store> store_;
    const std::shared_ptr<const zarr::Hierarchy> hierarchy_;
    const std::shared_ptr<zarr::Synchronizer> locks_;
    const bool is_of_new_store_;
    zarr::HierarchyWriter metadata_;
    mutable std::mutex mutex_;
    std::set<std::string> made_;     // paths
    std::set<std::string> written_;  // paths
    std::map<const zarr::Array*, std::unique_ptr<zarr::ArrayWriter>> writers_;

    mutable std::mutex attributes_mutex_;
    // All attributes of a node, as they were when the first was changed and as they will be.
    struct Changed {
        zarr::json::Value before;
        zarr::json::Value after;
    };
    std::map<std::string, Changed> changed_;  // by the path of the node
};

}  // namespace zarr_driver
