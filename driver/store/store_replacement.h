// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/store_lock.h"
#include "driver/store/staged.h"
#include "driver/store/store_address.h"
#include "driver/transport/remote_creation.h"

namespace zarr_driver {

// Builds a new store under a staging name, and swaps it in when it is complete; see Staged.
// In an object store, the documents of the new store are written when it is complete; see
// RemoteCreation. If another folder cannot be renamed, the old store is deleted and the new one is
// built in place. Renaming fails for mount points, for the current folder, and in a parent folder
// that is not writable.
class StoreReplacement {
  public:
    // Prepares a new store at `folder`, which may be missing or empty. Fails without a change if
    // `folder` holds anything but a store. Continues an unfinished store, under a staging name or
    // in place, if `is_resumable` returns true for its folder. An empty `is_resumable` continues
    // none. Fails if the old store must be deleted first although it is still read: `is_read` says
    // so, or a dataset of the store is open in this process. Takes the lock of an old store that
    // Commit() will replace, and fails if another writer has it for too long.
    using ResumablePredicate = std::function<bool(const std::string& folder)>;
    static zarr::Result<std::unique_ptr<StoreReplacement>> Begin(
        const StoreAddress& folder, const ResumablePredicate& is_resumable = {},
        bool is_read = false);

    // Deletes the new store, unless Commit() or KeepForResume() was called.
    ~StoreReplacement();
    StoreReplacement(const StoreReplacement&) = delete;
    StoreReplacement& operator=(const StoreReplacement&) = delete;

    // Returns the path of the store: the staging path until Commit(), then the final path. In a zip
    // file, it is /vsizip/{ZIP}/folder with the path ZIP of the staging zip file.
    const StoreAddress& folder() const { return building_folder_; }
    bool IsStaging() const { return staged_.IsStaging(); }
    // Returns the path that the store gets at Commit(), in the form of folder().
    const StoreAddress& final_folder() const { return folder_; }
    // True if this object continues an unfinished store, whose contents are unchanged.
    bool IsResumed() const { return is_resumed_; }
    // True if a later Begin() could continue this store after a failure.
    bool CanBeResumed() const;

    // Gives the new store its final name, and deletes the old store. No file of the new store may
    // be open for writing. After a failure the old store stays, and the destructor deletes the new
    // store.
    zarr::Status Commit();

    // Keeps the unfinished store, so that a later Begin() can continue it.
    void KeepForResume();

  private:
    explicit StoreReplacement(const StoreAddress& folder)
        : folder_(folder), building_folder_(folder), staged_(folder.FileOrFolder()) {}

    // True if the store is in a zip file, which is built and renamed as a whole.
    bool IsFile() const { return folder_.is_below_vsizip(); }
    zarr::Status LockOld();
    bool ResumeUnfinished(const ResumablePredicate& is_resumable);
    zarr::Status BuildStaging(bool& is_possible);
    zarr::Status BuildZipInPlace();
    zarr::Status BuildInPlace(const ResumablePredicate& is_resumable, bool is_read);
    zarr::Status BeginInObjectStore(bool is_resumable);
    void BuildAt(const std::string& path);
    zarr::Status CheckComplete();

    const StoreAddress folder_;     // final path of the store
    StoreAddress building_folder_;  // present path of the store
    Staged staged_;                 // the store's folder or zip file
    zarr::LockWait wait_;
    // Lock of an old store, from Begin() until the new store has its name.
    zarr::StoreLock old_lock_;
    // The new store in an object store, until this object is destroyed.
    std::shared_ptr<RemoteCreation> creation_;
    bool is_resumed_ = false;
};

}  // namespace zarr_driver
