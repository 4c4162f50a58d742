// SPDX-License-Identifier: MIT
#include "driver/store/store_replacement.h"

#include <cpl_conv.h>
#include <cpl_string.h>
#include <cpl_vsi.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#if defined(__linux__)
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "core/hierarchy/tree.h"
#include "core/metadata/documents.h"
#include "core/store/keys.h"
#include "core/store/partial_files.h"
#include "driver/base/report.h"
#include "driver/base/staging_name.h"
#include "driver/store/byte_file.h"
#include "driver/store/kerchunk_parquet_kind.h"
#include "driver/store/remote_creation.h"
#include "driver/store/remote_store.h"
#include "driver/store/resolve.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"
#include "driver/store/store_in_use.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/store_update.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

bool IsOnLocalDisk(const std::string& path) {
    return StorePath(path).kind() == StorePath::Kind::kLocal;
}

// Returns the path to which a symbolic link leads; other paths unchanged. A store behind a link is
// thus replaced, and the link stays.
std::string WithoutLink(const std::string& path) {
    std::error_code error;
    const std::filesystem::path link = std::filesystem::u8path(path);
    if (!IsOnLocalDisk(path) || !std::filesystem::is_symlink(link, error)) return path;
    const std::filesystem::path real = std::filesystem::canonical(link, error);
    return error ? path : real.generic_u8string();
}

// True if a file or folder can be renamed to `path` and replace it.
bool CanBeReplaced(const std::string& path) {
    if (RenamingAt(path) == Renaming::kNo) return false;
    const std::string_view name = zarr::LastName(path);
    if (name.empty() || name == "." || name == "..") return false;
    VSIStatBufL own;
    VSIStatBufL around;
    if (!IsOnLocalDisk(path) || VSIStatL(path.c_str(), &own) != 0 ||
        VSIStatL(ContainingFolder(path).c_str(), &around) != 0)
        return true;
    return own.st_dev == around.st_dev;  // false for a mount point, which is on another device
}

// True if the errno `error` means that rights are missing. False for failures of the file system
// itself.
bool IsMissingRight(int error) { return error == EACCES || error == EPERM || error == EROFS; }

Status SwapFailure(const std::string& what, int error) {
    return Status::Io(what + ": " + std::generic_category().message(error != 0 ? error : EIO));
}

// Creates `path`, the empty staging file or folder for the store at `folder`. Copies the
// permissions of `replaced`. Returns 0 or an errno.
int MakeEmpty(const std::string& path, const std::string& replaced, const StoreAddress& folder) {
    errno = 0;
    if (!OfKind(folder, &StoreKind::create)(path).ok()) return errno != 0 ? errno : EIO;
    std::error_code ignored;
    const auto status = std::filesystem::status(std::filesystem::u8path(replaced), ignored);
    if (IsOnLocalDisk(path) && std::filesystem::exists(status))
        std::filesystem::permissions(std::filesystem::u8path(path), status.permissions(), ignored);
    return 0;
}

// Swaps the names of two files or folders in one step. Returns false if the operating system cannot
// do so.
bool Exchange(const std::string& one, const std::string& other) {
#if defined(__linux__) && defined(SYS_renameat2) && defined(RENAME_EXCHANGE)
    return IsOnLocalDisk(one) && syscall(SYS_renameat2, AT_FDCWD, one.c_str(), AT_FDCWD,
                                         other.c_str(), RENAME_EXCHANGE) == 0;
#else
    static_cast<void>(one);
    static_cast<void>(other);
    return false;
#endif
}

// First and last number in the staging names of stores that are being deleted. Smaller numbers are
// for stores that are being built.
constexpr unsigned kFirstDeletionName = kMaxStagingStores + 1;
constexpr unsigned kLastDeletionName = 2 * kMaxStagingStores;

// Deletes the staging store at `staging_path` if the process that created it has ended.
void RemoveAbandoned(const std::string& staging_path) {
    zarr::PathLock::Failure failure{};
    const auto lock = zarr::PathLock::Try(staging_path, failure);
    if (!lock || !lock->IsOf(staging_path)) return;
    static_cast<void>(EraseWhole(staging_path));
    DeleteSidecars(staging_path);
}

// Returns an unused staging name for a store that is to be deleted. Returns an empty string if all
// names are in use.
std::string DeletionName(const std::string& path) {
    for (unsigned i = kFirstDeletionName; i <= kLastDeletionName; ++i) {
        std::string name = StagingStorePath(path, i);
        if (IsOnLocalDisk(path)) RemoveAbandoned(name);
        if (!PathExists(name)) return name;
    }
    return {};
}

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

std::string RenameForDeletion(const std::string& path) {
    const QuietErrors quiet;
    if (RenamingAt(path) != Renaming::kYes || !CanBeReplaced(path) || WithoutLink(path) != path)
        return path;
    std::string name = DeletionName(path);
    return !name.empty() && VSIRename(path.c_str(), name.c_str()) == 0 ? name : path;
}

StoreReplacement::StoreReplacement(StoreReplacement&& other) noexcept
    : folder_(std::move(other.folder_)),
      building_folder_(std::move(other.building_folder_)),
      path_(std::exchange(other.path_, {})),
      building_(std::exchange(other.building_, {})),
      lock_(std::exchange(other.lock_, std::nullopt)),
      wait_(other.wait_),
      old_lock_(std::move(other.old_lock_)),
      creation_(std::move(other.creation_)),
      is_resumed_(other.is_resumed_) {}

StoreReplacement& StoreReplacement::operator=(StoreReplacement&& other) noexcept {
    if (this == &other) return *this;
    Undo();
    folder_ = std::move(other.folder_);
    building_folder_ = std::move(other.building_folder_);
    path_ = std::exchange(other.path_, {});
    building_ = std::exchange(other.building_, {});
    lock_ = std::exchange(other.lock_, std::nullopt);
    wait_ = other.wait_;
    old_lock_ = std::move(other.old_lock_);
    creation_ = std::move(other.creation_);
    is_resumed_ = other.is_resumed_;
    return *this;
}

Result<StoreReplacement> StoreReplacement::Begin(const StoreAddress& folder,
                                                 const ResumablePredicate& is_resumable,
                                                 bool is_read) {
    ZARR_RETURN_IF_ERROR(CheckReplaceable(folder));
    ZARR_RETURN_IF_ERROR(CheckFillsZip(folder));
    StoreReplacement replacement(folder, WithoutLink(folder.FileOrFolder()));
    replacement.wait_ = DefaultLockWait();
    bool is_possible = CanBeReplaced(replacement.path_);
    if (is_possible) {
        Status status = replacement.LockOld();
        if (status.ok() && replacement.ResumeUnfinished(is_resumable)) return replacement;
        if (status.ok()) status = replacement.BuildStaging(is_possible);
        if (!status.ok()) {
            replacement.path_.clear();
            return status;
        }
    }
    if (!is_possible) replacement.old_lock_.Release();
    if (!is_possible) ZARR_RETURN_IF_ERROR(replacement.BuildInPlace(is_resumable, is_read));
    return replacement;
}

// Prepares to build the store at its final path. Deletes an old store there, or continues it if it
// is resumable. A remote zip file is built on the local disk.
Status StoreReplacement::BuildInPlace(const ResumablePredicate& is_resumable, bool is_read) {
    // Until this function has deleted the old store, path_ is empty, so that Undo() does not touch
    // that store.
    const std::string path = std::exchange(path_, {});
    const bool is_remote = StorePath(path).is_remote();
    if (IsFile()) {
        // A remote zip file is built on the local disk and then copied, because an object store can
        // only write whole objects.
        if (is_remote) BuildAt(CPLGenerateTempFilename("zip"));
        ZARR_RETURN_IF_ERROR(kZipKind.create(building_));
    } else if (is_resumable && is_resumable(path)) {
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
        if (!is_remote) MakeFolder(path);
    }
    path_ = path;
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

void StoreReplacement::BuildAt(const std::string& staging_path) {
    building_ = staging_path;
    building_folder_ = IsFile() ? ZipAddress(staging_path, folder_.inner.value_or(""))
                                : StoreAddress(staging_path);
}

// Continues an unfinished staging store. The store must be resumable, and no other process may be
// building it. Returns false if there is no such store.
bool StoreReplacement::ResumeUnfinished(const ResumablePredicate& is_resumable) {
    if (!is_resumable || !CanBeResumed()) return false;
    for (unsigned i = 0; i < kMaxStagingStores; ++i) {
        const std::string staging_path = StagingStorePath(path_, i);
        if (!PathExists(staging_path)) continue;
        zarr::PathLock::Failure failure{};
        auto lock = zarr::PathLock::Try(staging_path, failure);
        if (!lock || !lock->IsOf(staging_path) || !is_resumable(staging_path)) continue;
        lock_ = std::move(lock);
        is_resumed_ = true;
        DeleteSidecars(staging_path);
        BuildAt(staging_path);
        return true;
    }
    return false;
}

bool StoreReplacement::CanBeResumed() const {
    return !IsFile() && (!IsStaging() || IsOnLocalDisk(path_));
}

// Creates the staging store. If the store can only be built at its final path, sets `is_possible`
// to false and returns Ok.
Status StoreReplacement::BuildStaging(bool& is_possible) {
    const QuietErrors quiet;
    const bool is_file = IsFile();
    for (unsigned i = 0; IsOnLocalDisk(path_) && i <= kLastDeletionName; ++i)
        RemoveAbandoned(StagingStorePath(path_, i));
    if (const int error = MakeFolder(ContainingFolder(path_)); error != 0)
        return SwapFailure(is_file ? "the folder of the zip file cannot be created"
                                   : "its parent folder cannot be created",
                           error);
    for (unsigned i = 0; i < kMaxStagingStores; ++i) {
        const std::string staging_path = StagingStorePath(path_, i);
        if (PathExists(staging_path)) continue;
        const int error = MakeEmpty(staging_path, path_, folder_);
        if (error == EEXIST) continue;
        if (error != 0) {
            is_possible = !IsMissingRight(error) || !PathExists(path_);
            return is_possible ? SwapFailure("cannot be created", error) : Status();
        }
        zarr::PathLock::Failure failure{};
        auto lock = zarr::PathLock::Try(staging_path, failure);
        // Before this process took the lock, another process may have deleted the new staging store
        // as abandoned. If so, another name is tried.
        if (lock ? !lock->IsOf(staging_path) : failure == zarr::PathLock::Failure::kLocked)
            continue;
        lock_ = std::move(lock);
        BuildAt(staging_path);
        if (RenamingAt(path_) != Renaming::kUntested) return {};
        // The staging store, which is still empty, is renamed and renamed back to test whether
        // folders can be renamed.
        const std::string other = StagingStorePath(path_, kMaxStagingStores);
        is_possible = VSIRename(staging_path.c_str(), other.c_str()) == 0 &&
                      VSIRename(other.c_str(), staging_path.c_str()) == 0;
        if (is_possible) return {};
        static_cast<void>(EraseWhole(PathExists(other) ? other : staging_path));
        building_ = path_;
        building_folder_ = folder_;
        return {};
    }
    return Status::Io("cannot be created: " + std::to_string(kMaxStagingStores) +
                      " other stores of this name are being created, such as " +
                      StagingStorePath(path_, 0));
}

// Takes the lock of the old store, if there is one: a writer that changes the old store must not go
// on in the new one.
Status StoreReplacement::LockOld() {
    const bool is_file = IsFile();
    if (old_lock_.is_held() || is_file || !PathExists(path_)) return {};
    auto lock = zarr::StoreLock::Take(LockTargetOf(*OpenFolder(path_)), wait_);
    if (lock.ok()) old_lock_ = lock.Take();
    return lock.status();
}

Status StoreReplacement::RenameToFinal() {
    // The folder is checked again, because another program may have added files to it since
    // Begin().
    ZARR_RETURN_IF_ERROR(CheckReplaceable(folder_));
    const QuietErrors quiet;
    const auto rename = [](const std::string& from, const std::string& to) {
        errno = 0;
        return VSIRename(from.c_str(), to.c_str()) == 0;
    };
    const bool is_file = IsFile();
    // Closing a file may fail after all writes have succeeded, for example on a full network drive.
    // The old zip file is therefore replaced only if the new zip file can be opened.
    if (is_file) ZARR_RETURN_IF_ERROR(OpenZip(building_).status());
    if (is_file && IsOzx(path_)) ZARR_RETURN_IF_ERROR(SortZip(building_));
    if (is_file && RenamingAt(path_) == Renaming::kNo) {
        if (!CopyFile(building_, path_))
            return Status::Io("the zip file cannot be copied to its path: " +
                              QuietErrors::Message());
        VSIUnlink(building_.c_str());
        return {};
    }
    const bool is_free = !PathExists(path_) && !HoldsStore(folder_);
    // A file is renamed even if its final path exists, because on most systems renaming a file
    // replaces an existing file.
    if ((is_free || is_file) && rename(building_, path_)) return {};
    if (is_free) return SwapFailure("cannot be renamed to its final name", errno);
    ZARR_RETURN_IF_ERROR(LockOld());
    std::string old = building_;
    if (!Exchange(building_, path_)) {
        old = DeletionName(path_);
        if (old.empty() || !rename(path_, old))
            return SwapFailure("the old store cannot be renamed", errno);
        if (!rename(building_, path_)) {
            const int error = errno;
            rename(old, path_);
            return SwapFailure("cannot be renamed to its final name", error);
        }
    }
    // A failure is ignored: if the old store cannot be deleted, it stays under its staging name.
    static_cast<void>(EraseWhole(old));
    return {};
}

Status StoreReplacement::Commit() {
    if (path_.empty()) return {};
    if (IsStaging()) {
        ZARR_RETURN_IF_ERROR(RenameToFinal());
        RecordReplacement(path_);
        DeleteSidecars(path_);
        RenameSidecars(building_, path_);
    }
    path_.clear();
    building_.clear();
    building_folder_ = folder_;
    lock_.reset();
    old_lock_.Release();
    return {};
}

void StoreReplacement::KeepForResume() {
    path_.clear();
    building_.clear();
    lock_.reset();
    old_lock_.Release();
}

void StoreReplacement::Undo() {
    if (path_.empty()) return;
    const bool is_published = creation_ != nullptr && creation_->IsPublished();
    if (creation_ != nullptr)
        creation_->Abandon();
    else if (StorePath(building_).is_remote() || PathExists(building_))
        static_cast<void>(EraseWhole(building_));
    if (!is_published) DeleteSidecars(building_);
    path_.clear();
    building_.clear();
    lock_.reset();
    old_lock_.Release();
}

}  // namespace zarr_driver
