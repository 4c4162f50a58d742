// SPDX-License-Identifier: MIT
#include "driver/store/store_replacement.h"

#include <cpl_vsi.h>

#include <cerrno>
#include <utility>

#include "core/hierarchy/change_intent.h"
#include "core/hierarchy/tree.h"
#include "core/metadata/documents.h"
#include "driver/base/gdal_errors.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/remote_kind.h"
#include "driver/store/resolve.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/store_update.h"
#include "driver/store/zip_kind.h"
#include "driver/transport/open_zip.h"
#include "driver/transport/remote_creation.h"
#include "driver/transport/remote_store.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// True if the errno `error` means that rights are missing. False for failures of the file system
// itself.
bool IsMissingRight(int error) { return error == EACCES || error == EPERM || error == EROFS; }

// True if a store exists in a remote folder. A client without the right to list may get 403 for an
// absent document. Other failures are errors, because a store that is taken for absent would mix
// with the new one.
Result<bool> HoldsRemoteStore(const StoreAddress& folder) {
    const QuietErrors quiet;
    const RemoteStore store(folder.path(), {});
    for (const std::string_view name : zarr::kRootDocuments) {
        const auto found = store.Exists(std::string(name));
        const bool is_refused =
            !found.ok() && found.status().code() == zarr::StatusCode::kPermission;
        if (!found.ok() && !is_refused) return found.status();
        if (found.ok() && *found) return true;
    }
    return folder.store_kind != &kKerchunkParquetKind && HoldsStore(folder);
}

}  // namespace

StoreReplacement::~StoreReplacement() {
    zarr::NoThrow([this] {
        if (creation_ == nullptr || staged_.IsDone()) return;
        const bool is_published = creation_->IsPublished();
        creation_->Abandon();
        if (!is_published) DeleteSidecars(staged_.path());
        staged_.Keep();
    });
}

Result<std::unique_ptr<StoreReplacement>> StoreReplacement::Begin(
    const StoreAddress& folder, const ResumablePredicate& is_resumable, bool is_read) {
    ZARR_RETURN_IF_ERROR(CheckReplaceable(folder));
    ZARR_RETURN_IF_ERROR(CheckFillsZip(folder));
    std::unique_ptr<StoreReplacement> made(new StoreReplacement(folder));
    made->wait_ = DefaultLockWait();
    bool is_possible = made->staged_.CanBeRenamed();
    if (is_possible) {
        ZARR_RETURN_IF_ERROR(made->LockOld());
        if (made->ResumeUnfinished(is_resumable)) return made;
        ZARR_RETURN_IF_ERROR(made->BuildStaging(is_possible));
    }
    if (is_possible) return made;
    made->old_lock_.Release();
    ZARR_RETURN_IF_ERROR(made->BuildInPlace(is_resumable, is_read));
    return made;
}

// Builds a zip file at its final path; a remote one on the local disk, because an object store can
// only write whole objects.
Status StoreReplacement::BuildZipInPlace() {
    Status created;
    const auto create = [&](const std::string& zip) {
        created = kZipKind.create(zip);
        return created.ok() ? 0 : EIO;
    };
    const std::string& path = staged_.final_path();
    const bool is_remote = StorePath(path).is_remote();
    static_cast<void>(is_remote ? staged_.Create(create) : create(path));
    ZARR_RETURN_IF_ERROR(created);
    if (!is_remote) staged_.CreateInPlace();
    BuildAt(staged_.path());
    return {};
}

// Prepares to build the store at its final path. Deletes an old store there, or continues it if it
// is resumable.
Status StoreReplacement::BuildInPlace(const ResumablePredicate& is_resumable, bool is_read) {
    if (IsFile()) return BuildZipInPlace();
    const std::string& path = staged_.final_path();
    const bool is_remote = StorePath(path).is_remote();
    if (is_resumable && is_resumable(path)) {
        is_resumed_ = true;
        DeleteSidecars(path);
    } else {
        if (is_read)
            return Status::Invalid("is not overwritten, because the source is read from it");
        ZARR_RETURN_IF_ERROR(CheckNotInUse(folder_, {}, "overwritten"));
        if (is_remote)
            ZARR_RETURN_IF_ERROR(BeginInObjectStore(is_resumable != nullptr));
        else
            ZARR_RETURN_IF_ERROR(zarr::EraseStore(*OpenFolder(path)));
        DeleteSidecars(path);
        if (IsLocalPath(path)) zarr::RemoveIntent(path);
        if (!is_remote) MakeFolder(path);
    }
    staged_.CreateInPlace();
    return {};
}

// Deletes what an unfinished store has left at the final path. An old store is replaced when the
// new one is complete. If the new store shall be resumable, an old store is deleted here, and
// documents are written at once.
Status StoreReplacement::BeginInObjectStore(bool is_resumable) {
    ZARR_ASSIGN_OR_RETURN(const bool is_store, HoldsRemoteStore(folder_));
    std::vector<std::string> old;
    if (is_resumable || !is_store) {
        ZARR_RETURN_IF_ERROR(EraseWhole(folder_, is_store));
    } else {
        ZARR_ASSIGN_OR_RETURN(old, ListStoredObjects(VsiStore(folder_.path())));
    }
    if (!is_resumable) creation_ = RemoteCreation::Begin(folder_, old);
    return {};
}

void StoreReplacement::BuildAt(const std::string& path) {
    building_folder_ = IsFile() ? ZipAddress(path, folder_.inner.value_or("")) : StoreAddress(path);
}

// Continues an unfinished staging store. The store must be resumable, and no other process may be
// building it. Returns false if there is no such store.
bool StoreReplacement::ResumeUnfinished(const ResumablePredicate& is_resumable) {
    if (!is_resumable || !CanBeResumed() || !staged_.Resume(is_resumable)) return false;
    is_resumed_ = true;
    BuildAt(staged_.path());
    return true;
}

bool StoreReplacement::CanBeResumed() const {
    return !IsFile() &&
           (!IsStaging() || StorePath(staged_.final_path()).kind() == StorePath::Kind::kLocal);
}

// Creates the staging store. If the store can only be built at its final path, sets `is_possible`
// to false and returns Ok.
Status StoreReplacement::BuildStaging(bool& is_possible) {
    const QuietErrors quiet;
    const std::string& path = staged_.final_path();
    if (const int error = MakeFolder(ContainingFolder(path)); error != 0)
        return StagingFailure(IsFile() ? "the folder of the zip file cannot be created"
                                       : "its parent folder cannot be created",
                              error);
    const int error = staged_.Create([&](const std::string& staging) {
        errno = 0;
        if (OfKind(folder_, &StoreKind::create)(staging).ok()) return 0;
        return errno != 0 ? errno : EIO;
    });
    if (error != 0) {
        is_possible = !IsMissingRight(error) || !PathExists(path);
        return is_possible ? StagingFailure("cannot be created", error) : Status();
    }
    BuildAt(staged_.path());
    if (RenamingAt(path) != Renaming::kUntested) return {};
    // The staging store, which is still empty, is renamed and renamed back to test whether folders
    // can be renamed.
    const std::string& staging = staged_.path();
    const std::string other = zarr::StagingName(path);
    is_possible = VSIRename(staging.c_str(), other.c_str()) == 0 &&
                  VSIRename(other.c_str(), staging.c_str()) == 0;
    if (is_possible) return {};
    static_cast<void>(EraseWhole(PathExists(other) ? other : staging));
    staged_.Keep();
    building_folder_ = folder_;
    return {};
}

// Takes the lock of the old store, if there is one: a writer that changes the old store must not go
// on in the new one.
Status StoreReplacement::LockOld() {
    const std::string& path = staged_.final_path();
    if (old_lock_.is_held() || IsFile() || !PathExists(path)) return {};
    ZARR_ASSIGN_OR_RETURN(old_lock_, zarr::StoreLock::Take(LockTargetOf(*OpenFolder(path)), wait_));
    return {};
}

// Checks again that the new store may take its name, and that it is complete.
Status StoreReplacement::CheckComplete() {
    // Another program may have added files to the folder since Begin().
    ZARR_RETURN_IF_ERROR(CheckReplaceable(folder_));
    if (!IsFile()) return LockOld();
    // Closing a file may fail after all writes have succeeded, for example on a full network drive.
    // The old zip file is therefore replaced only if the new zip file can be opened.
    const QuietErrors quiet;
    ZARR_RETURN_IF_ERROR(OpenZip(staged_.path()).status());
    return IsOzx(staged_.final_path()) ? SortZip(staged_.path()) : Status();
}

Status StoreReplacement::Commit() {
    if (staged_.IsDone()) return {};
    if (IsStaging()) {
        const std::string staging = staged_.path();
        ZARR_RETURN_IF_ERROR(CheckComplete());
        ZARR_RETURN_IF_ERROR(staged_.Commit());
        DeleteSidecars(staged_.final_path());
        RenameSidecars(staging, staged_.final_path());
    }
    KeepForResume();
    building_folder_ = folder_;
    return {};
}

void StoreReplacement::KeepForResume() {
    staged_.Keep();
    old_lock_.Release();
}

}  // namespace zarr_driver
