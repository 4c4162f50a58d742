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
#include "core/store/keys.h"
#include "core/store/partial_files.h"
#include "driver/base/aside_name.h"
#include "driver/base/report.h"
#include "driver/store/byte_file.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_folder.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_management.h"
#include "driver/store/store_path.h"
#include "driver/store/vsi_store.h"
#include "driver/store/zip_file.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

bool IsOnLocalDisk(const std::string& path) {
    return StorePath(path).kind() == StorePath::Kind::kLocal;
}

// Where a link leads, so that what it leads to is replaced, and not the link.
std::string WithoutLink(const std::string& path) {
    std::error_code error;
    if (!IsOnLocalDisk(path) || !std::filesystem::is_symlink(path, error)) return path;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    return error ? path : real.string();
}

std::string FolderAround(const std::string& path) {
    const std::string parent = CPLGetPath(path.c_str());
    return parent.empty() ? "." : parent;
}

// False where nothing can take the place of `path` by renaming.
bool MayBeReplaced(const std::string& path) {
    if (RenamingAt(path) == Renaming::kNo) return false;
    const std::string_view name = zarr::LastName(path);
    if (name.empty() || name == "." || name == "..") return false;
    VSIStatBufL own;
    VSIStatBufL around;
    if (!IsOnLocalDisk(path) || VSIStatL(path.c_str(), &own) != 0 ||
        VSIStatL(FolderAround(path).c_str(), &around) != 0)
        return true;
    return own.st_dev == around.st_dev;  // else a mount point
}

// Whether a right is missing, as opposed to a file system that fails.
bool IsRefusal(int error) { return error == EACCES || error == EPERM || error == EROFS; }

Status SwapFailure(const std::string& what, int error) {
    return Status::Io(what + ": " + std::generic_category().message(error != 0 ? error : EIO));
}

// Makes what is to become the store at `folder`, with the mode of what it is to replace. Returns 0
// or an errno.
int MakeEmpty(const std::string& path, const std::string& replaced, const StorePath& folder) {
    errno = 0;
    if (!OfKind(folder, &StoreKind::create)(path).ok()) return errno != 0 ? errno : EIO;
    std::error_code ignored;
    const auto status = std::filesystem::status(replaced, ignored);
    if (IsOnLocalDisk(path) && std::filesystem::exists(status))
        std::filesystem::permissions(path, status.permissions(), ignored);
    return 0;
}

// Both change their names at once; false where the system cannot.
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

// Stores that are being made have the first names, those that are being deleted the others.
constexpr unsigned kFirstToGo = kAsideNames + 1;
constexpr unsigned kLastToGo = 2 * kAsideNames;

// Removes what a process has left at `aside` that is no more.
void RemoveAbandoned(const std::string& aside) {
    zarr::PathLock::Failure failure{};
    const auto lock = zarr::PathLock::Try(aside, failure);
    if (!lock || !lock->IsOf(aside)) return;
    static_cast<void>(EraseWhole(aside));
    RemoveBeside(aside);
}

// A name for what is to be deleted; empty where all are in use.
std::string NameToGo(const std::string& path) {
    for (unsigned i = kFirstToGo; i <= kLastToGo; ++i) {
        std::string name = AsideName(path, i);
        if (IsOnLocalDisk(path)) RemoveAbandoned(name);
        if (!PathExists(name)) return name;
    }
    return {};
}

}  // namespace

std::string MoveAside(const std::string& path) {
    const QuietErrors quiet;
    if (RenamingAt(path) != Renaming::kYes || !MayBeReplaced(path) || WithoutLink(path) != path)
        return path;
    std::string name = NameToGo(path);
    return !name.empty() && VSIRename(path.c_str(), name.c_str()) == 0 ? name : path;
}

StoreReplacement::StoreReplacement(StoreReplacement&& other) noexcept
    : folder_(std::move(other.folder_)),
      building_folder_(std::move(other.building_folder_)),
      path_(std::exchange(other.path_, {})),
      building_(std::exchange(other.building_, {})),
      lock_(std::exchange(other.lock_, std::nullopt)),
      is_known_empty_(other.is_known_empty_) {}

StoreReplacement& StoreReplacement::operator=(StoreReplacement&& other) noexcept {
    if (this == &other) return *this;
    Undo();
    folder_ = std::move(other.folder_);
    building_folder_ = std::move(other.building_folder_);
    path_ = std::exchange(other.path_, {});
    building_ = std::exchange(other.building_, {});
    lock_ = std::exchange(other.lock_, std::nullopt);
    is_known_empty_ = other.is_known_empty_;
    return *this;
}

Result<StoreReplacement> StoreReplacement::Begin(const std::string& folder) {
    ZARR_RETURN_IF_ERROR(CheckRoom(folder));
    ZARR_RETURN_IF_ERROR(CheckAlone(folder));
    StoreReplacement replacement(folder, WithoutLink(FileOrFolderOf(folder)));
    bool is_possible = MayBeReplaced(replacement.path_);
    if (is_possible) {
        const Status status = replacement.BuildAside(is_possible);
        if (!status.ok()) {
            replacement.path_.clear();
            return status;
        }
    }
    if (is_possible) return replacement;
    const std::string path =
        std::exchange(replacement.path_, {});  // the old store is not to be restored
    const bool is_remote = StorePath(path).is_remote();
    if (FileOrFolderOf(folder) != folder) {
        // Objects are written whole: a zip file is built on this machine and then copied.
        if (is_remote) replacement.BuildAt(CPLGenerateTempFilename("zip"));
        ZARR_RETURN_IF_ERROR(kZipKind.create(replacement.building_));
    } else {
        const auto old = OpenFolder(path);
        replacement.is_known_empty_ = is_remote && !IsStoreFolder(folder);
        ZARR_RETURN_IF_ERROR(is_remote ? EraseWhole(path, !replacement.is_known_empty_)
                                       : zarr::EraseStore(*old));
        RemoveBeside(path);
        if (!is_remote) MakeFolder(path);
    }
    replacement.path_ = path;
    return replacement;
}

void StoreReplacement::BuildAt(const std::string& aside) {
    building_ = aside;
    building_folder_ = ArchiveOf(folder_) ? InOtherArchive(folder_, aside) : aside;
}

// Ok with `is_possible` false where it has to be in place.
Status StoreReplacement::BuildAside(bool& is_possible) {
    const QuietErrors quiet;
    const bool is_file = FileOrFolderOf(folder_) != folder_;
    for (unsigned i = 0; IsOnLocalDisk(path_) && i <= kLastToGo; ++i)
        RemoveAbandoned(AsideName(path_, i));
    if (const int error = MakeFolder(FolderAround(path_)); error != 0)
        return SwapFailure(is_file ? "the folder of the zip file cannot be made"
                                   : "the folder around it cannot be made",
                           error);
    for (unsigned i = 0; i < kAsideNames; ++i) {
        const std::string aside = AsideName(path_, i);
        if (PathExists(aside)) continue;
        const int error = MakeEmpty(aside, path_, folder_);
        if (error == EEXIST) continue;
        if (error != 0) {
            is_possible = !IsRefusal(error) || !PathExists(path_);
            return is_possible ? SwapFailure("cannot be made", error) : Status();
        }
        zarr::PathLock::Failure failure{};
        auto lock = zarr::PathLock::Try(aside, failure);
        // Another process took it for abandoned meanwhile.
        if (lock ? !lock->IsOf(aside) : failure == zarr::PathLock::Failure::kHeld) continue;
        lock_ = std::move(lock);
        BuildAt(aside);
        if (RenamingAt(path_) != Renaming::kPerhaps) return {};
        // Found out before there is something to lose.
        const std::string other = AsideName(path_, kAsideNames);
        is_possible = VSIRename(aside.c_str(), other.c_str()) == 0 &&
                      VSIRename(other.c_str(), aside.c_str()) == 0;
        if (is_possible) return {};
        static_cast<void>(EraseWhole(PathExists(other) ? other : aside));
        building_ = path_;
        building_folder_ = folder_;
        return {};
    }
    return Status::Io("cannot be made: " + std::to_string(kAsideNames) +
                      " others are being made under this name, as " + AsideName(path_, 0));
}

Status StoreReplacement::TakePlace() {
    // What lies there may have got company since Begin().
    ZARR_RETURN_IF_ERROR(CheckRoom(folder_));
    const QuietErrors quiet;
    const auto rename = [](const std::string& from, const std::string& to) {
        errno = 0;
        return VSIRename(from.c_str(), to.c_str()) == 0;
    };
    const bool is_file = FileOrFolderOf(folder_) != folder_;
    if (is_file && RenamingAt(path_) == Renaming::kNo) {
        if (!CopyFile(building_, path_))
            return Status::Io("the zip file cannot be put there: " + QuietErrors::Message());
        VSIUnlink(building_.c_str());
        return {};
    }
    const bool is_free = !PathExists(path_) && !IsStoreFolder(folder_);
    // A file takes the place of a file, where the system has no other mind.
    if ((is_free || is_file) && rename(building_, path_)) return {};
    if (is_free) return SwapFailure("cannot get its name", errno);
    std::string old = building_;
    if (!Exchange(building_, path_)) {
        old = NameToGo(path_);
        if (old.empty() || !rename(path_, old))
            return SwapFailure("the old one cannot be put aside", errno);
        if (!rename(building_, path_)) {
            const int error = errno;
            rename(old, path_);
            return SwapFailure("cannot get its name", error);
        }
    }
    // What cannot be deleted stays, and does no harm.
    static_cast<void>(EraseWhole(old));
    return {};
}

Status StoreReplacement::Commit() {
    if (path_.empty()) return {};
    if (IsAside()) {
        ZARR_RETURN_IF_ERROR(TakePlace());
        NoteReplaced(path_);
        RemoveBeside(path_);
        MoveBeside(building_, path_);
    }
    path_.clear();
    building_.clear();
    building_folder_ = folder_;
    lock_.reset();
    return {};
}

void StoreReplacement::Undo() {
    if (path_.empty()) return;
    if (StorePath(building_).is_remote() || PathExists(building_))
        static_cast<void>(EraseWhole(building_));
    RemoveBeside(building_);
    path_.clear();
    building_.clear();
    lock_.reset();
}

}  // namespace zarr_driver
