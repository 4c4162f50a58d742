// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/partial_files.h"

namespace zarr_driver {

// Renames the store at `path`, which is to be deleted, to a staging name in the same folder. If
// this process is killed, the next writer of the store removes the files under the staging name.
// Returns the new path, or `path` if the store cannot be renamed.
std::string RenameForDeletion(const std::string& path);

// Builds a new store, which may replace an old store. The new store is built under a staging name
// in the same folder, and renamed once it is complete. If the process is killed, either the old
// store or the new store has the final name. The next writer of that name removes leftover staging
// stores.
//
// If folders cannot be renamed, the old store is deleted and the new store is built in place.
// Object stores cannot rename folders. Renaming also fails for mount points, for the current
// folder, and in a parent folder that is not writable.
class StoreReplacement {
  public:
    // Prepares a new store at `folder`. Fails, with nothing changed, if `folder` holds anything
    // other than a store. `folder` may also be missing or empty.
    //
    // Continues an unfinished store of a killed process if `is_resumable` returns true for its
    // folder. The store may be under a staging name, or at `folder` itself if stores are built in
    // place. An empty `is_resumable` continues no store.
    using ResumablePredicate = std::function<bool(const std::string& folder)>;
    static zarr::Result<StoreReplacement> Begin(const std::string& folder,
                                                const ResumablePredicate& is_resumable = {});

    // Creates an object that does nothing, for a store that is updated instead of created.
    StoreReplacement() = default;
    // Deletes the new store, unless Commit() has succeeded.
    ~StoreReplacement() {
        zarr::NoThrow([this] { Undo(); });
    }
    StoreReplacement(const StoreReplacement&) = delete;
    StoreReplacement& operator=(const StoreReplacement&) = delete;
    StoreReplacement(StoreReplacement&& other) noexcept;
    StoreReplacement& operator=(StoreReplacement&& other) noexcept;

    // Returns the path where the store is being built: the staging path until Commit(), then the
    // final path. For a store in a zip file the path is /vsizip/{zip file}/folder, where "zip file"
    // is the path of the staging zip file.
    const std::string& folder() const { return building_folder_; }
    bool IsStaging() const { return building_ != path_; }
    // True if the path is remote and no store existed there, so that the new store is known to be
    // empty.
    bool IsKnownEmpty() const { return is_known_empty_; }
    // True if this object continues an unfinished store. The store still has all of its contents.
    bool IsResumed() const { return is_resumed_; }
    // True if a later Begin() can continue this store.
    bool CanBeResumed() const;

    // Renames the new store to its final name, and deletes the old store. No file of the new store
    // may be open for writing. On failure the old store stays, and the destructor deletes the new
    // store.
    zarr::Status Commit();

    // Leaves the unfinished store as it is, for a later Begin() that continues it.
    void KeepForResume();

  private:
    StoreReplacement(std::string folder, std::string path)
        : folder_(std::move(folder)),
          building_folder_(folder_),
          path_(std::move(path)),
          building_(path_) {}

    bool ResumeUnfinished(const ResumablePredicate& is_resumable);
    zarr::Status BuildStaging(bool& is_possible);
    zarr::Status BuildInPlace(const ResumablePredicate& is_resumable);
    void BuildAt(const std::string& staging_path);
    zarr::Status RenameToFinal();
    void Undo();

    std::string folder_;           // final path of the store
    std::string building_folder_;  // path of the store while it is built
    // Final path and staging path of the folder or zip file. Both are empty if the destructor has
    // nothing to delete.
    std::string path_;
    std::string building_;
    std::optional<zarr::PathLock> lock_;  // lock on the staging path
    bool is_known_empty_ = false;
    bool is_resumed_ = false;
};

}  // namespace zarr_driver
