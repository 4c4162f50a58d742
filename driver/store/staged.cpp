// SPDX-License-Identifier: MIT
#include "driver/store/staged.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

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

#include "core/hierarchy/change_intent.h"
#include "core/store/keys.h"
#include "driver/base/gdal_errors.h"
#include "driver/store/resolve.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"
#include "driver/transport/byte_file.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Status;

namespace {

bool IsOnLocalDisk(const std::string& path) {
    return StorePath(path).kind() == StorePath::Kind::kLocal;
}

// Returns the path to which a symbolic link leads; other paths unchanged.
std::string WithoutLink(const std::string& path) {
    std::error_code error;
    const std::filesystem::path link = std::filesystem::u8path(path);
    if (!IsOnLocalDisk(path) || !std::filesystem::is_symlink(link, error)) return path;
    const std::filesystem::path real = std::filesystem::canonical(link, error);
    return error ? path : real.generic_u8string();
}

bool IsReplaceable(const std::string& path) {
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

bool NamesFile(const std::string& path) {
    VSIStatBufL stat;
    return VSIStatL(path.c_str(), &stat) == 0 && !VSI_ISDIR(stat.st_mode);
}

void RemoveIntentOf(const std::string& store) {
    if (IsOnLocalDisk(store)) zarr::RemoveIntent(store);
}

// Removes the rest of a staging store or file. The intent goes first, because a copy must not go on
// in a store that lacks chunks.
void RemoveStaging(const std::string& staging) {
    RemoveIntentOf(staging);
    if (StorePath(staging).is_remote() || PathExists(staging))
        static_cast<void>(EraseWhole(staging));
    DeleteSidecars(staging);
}

// Calls `visit` for what killed processes have left under staging names of `path`.
template <class Visit>
void VisitAbandonedOf(const std::string& path, Visit&& visit) {
    if (!IsOnLocalDisk(path)) return;
    const std::string folder = ContainingFolder(path);
    zarr::VisitAbandoned(folder.empty() ? "." : folder, std::string(zarr::LastName(path)), visit);
}

void RemoveAbandoned(const std::string& path) {
    VisitAbandonedOf(
        path, [](const std::string& staging, zarr::PathLock& /*lock*/) { RemoveStaging(staging); });
}

// Renames a file or folder. Returns 0 or an errno.
int Renamed(const std::string& from, const std::string& to) {
    errno = 0;
    if (VSIRename(from.c_str(), to.c_str()) == 0) return 0;
    return errno != 0 ? errno : EIO;
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

void CopyPermissions(const std::string& from, const std::string& to) {
    if (!IsOnLocalDisk(from) || !IsOnLocalDisk(to)) return;
    std::error_code ignored;
    const auto status = std::filesystem::status(std::filesystem::u8path(from), ignored);
    if (std::filesystem::exists(status))
        std::filesystem::permissions(std::filesystem::u8path(to), status.permissions(), ignored);
}

}  // namespace

Status StagingFailure(const std::string& what, int error) {
    const std::string message =
        error != 0 ? std::generic_category().message(error) : QuietErrors::Message();
    return Status::Io(what + ": " + message);
}

std::string RenameForDeletion(const std::string& path) {
    const QuietErrors quiet;
    if (RenamingAt(path) != Renaming::kYes || !IsReplaceable(path) || WithoutLink(path) != path)
        return path;
    std::string name = zarr::StagingName(path);
    return Renamed(path, name) == 0 ? name : path;
}

Staged::Staged(const StorePath& path) : path_(WithoutLink(path)) {}

Staged::~Staged() {
    zarr::NoThrow([this] {
        const QuietErrors quiet;
        if (!staging_.empty()) RemoveStaging(staging_);
    });
}

bool Staged::CanBeRenamed() const { return IsReplaceable(path_); }

int Staged::Create(const std::function<int(const std::string& staging)>& create) {
    const QuietErrors quiet;
    RemoveAbandoned(path_);
    for (;;) {
        const std::string staging = RenamingAt(path_) == Renaming::kNo
                                        ? CPLGenerateTempFilename("zarr")
                                        : zarr::StagingName(path_);
        if (const int error = create(staging); error != 0) return error;
        CopyPermissions(path_, staging);
        zarr::PathLock::Failure failure{};
        lock_ = zarr::PathLock::Try(staging, failure);
        staging_ = staging;
        // Before this process took the lock, another one may have removed the file or folder as
        // abandoned.
        if (lock_ ? lock_->IsOf(staging) : failure == zarr::PathLock::Failure::kImpossible)
            return 0;
    }
}

bool Staged::Resume(const std::function<bool(const std::string& staging)>& is_wanted) {
    VisitAbandonedOf(path_, [&](const std::string& staging, zarr::PathLock& lock) {
        if (!staging_.empty() || !is_wanted(staging)) return;
        staging_ = staging;
        lock_ = std::move(lock);
        DeleteSidecars(staging);
    });
    return !staging_.empty();
}

// Moves what was built to the final path, at which something may be.
Status Staged::Swap() {
    constexpr const char* kNotRenamed = "cannot be renamed to its final name";
    const bool is_file = NamesFile(staging_);
    const bool replaces_folder = !NamesFile(path_);
    const bool holds_store = HoldsStore(StoreAddress(path_));
    const bool is_free = !PathExists(path_) && !holds_store;
    // An intent without its store describes nothing that is there.
    if (is_free && !is_file) RemoveIntentOf(path_);
    int error = 0;
    // Renaming a file replaces an existing file on most systems.
    if (is_free || is_file) error = Renamed(staging_, path_);
    if ((is_free || is_file) && error == 0) return {};
    // A file does not replace a folder that is no store, because another program made the folder.
    if (is_free || (is_file && replaces_folder && !holds_store))
        return StagingFailure(kNotRenamed, error);
    std::string old = staging_;
    if (!Exchange(staging_, path_)) {
        old = zarr::StagingName(path_);
        if (error = Renamed(path_, old); error != 0)
            return StagingFailure("the old store cannot be renamed", error);
        if (error = Renamed(staging_, path_); error != 0) {
            static_cast<void>(Renamed(old, path_));
            return StagingFailure(kNotRenamed, error);
        }
    }
    if (replaces_folder) RemoveIntentOf(path_);  // of the old store, whose lock this process has
    // A failure is ignored: what cannot be deleted stays under its staging name.
    static_cast<void>(EraseWhole(old));
    return {};
}

Status Staged::Commit() {
    const QuietErrors quiet;
    if (IsStaging() && RenamingAt(path_) == Renaming::kNo) {
        if (!CopyFile(staging_, path_)) return StagingFailure("cannot be copied to its path", 0);
        VSIUnlink(staging_.c_str());
    } else if (IsStaging()) {
        ZARR_RETURN_IF_ERROR(Swap());
    }
    if (IsStaging()) RecordReplacement(path_);
    Keep();
    return {};
}

void Staged::Keep() {
    staging_.clear();
    lock_.reset();
}

}  // namespace zarr_driver
