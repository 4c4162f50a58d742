// SPDX-License-Identifier: MIT
#include "driver/store/staged_file.h"

#include <cpl_conv.h>
#include <cpl_vsi.h>

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "driver/base/report.h"
#include "driver/store/byte_file.h"
#include "driver/store/sidecars.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

Status FileFailure(const char* what, int error) {
    const std::string message = error != 0 ? std::generic_category().message(error) : std::string();
    const std::string hidden = QuietErrors::Message();
    return Status::Io(std::string(what) + ": " + (!message.empty() ? message : hidden));
}

// Returns the path with links resolved, so that the file to which a link leads is replaced, and not
// the link. For a local file, the result always includes a folder.
std::string FinalFilePath(const StorePath& path) {
    if (path.kind() != StorePath::Kind::kLocal) return path.text();
    std::error_code error;
    const std::filesystem::path file = std::filesystem::u8path(path.text());
    if (std::filesystem::is_symlink(file, error)) {
        const auto real = std::filesystem::canonical(file, error);
        if (!error) return real.generic_u8string();
    }
    const auto absolute = std::filesystem::absolute(file, error);
    return error ? path.text() : absolute.generic_u8string();
}

bool IsLocalFile(const std::string& path) {
    return StorePath(path).kind() == StorePath::Kind::kLocal;
}

}  // namespace

Result<std::unique_ptr<StagedFile>> StagedFile::Create(const StorePath& path) {
    std::unique_ptr<StagedFile> made(new StagedFile(FinalFilePath(path)));
    if (IsLocalFile(made->path_)) zarr::AbandonedStagingFiles().RemoveInFolderOf(made->path_);
    ZARR_RETURN_IF_ERROR(made->Open());
    return made;
}

Status StagedFile::Open() {
    const QuietErrors quiet;
    constexpr int kAttempts = 3;
    for (int i = 0; i < kAttempts; ++i) {
        staging_ = RenamingAt(path_) == Renaming::kNo ? CPLGenerateTempFilename("references")
                                                      : zarr::StagingName(path_);
        errno = 0;
        file_.reset(VSIFOpenL(staging_.c_str(), "wb"));
        if (file_ == nullptr) {
            const int error = errno;
            staging_.clear();
            return FileFailure("cannot be created", error);
        }
        if (!IsLocalFile(staging_)) return {};
        // Before the lock is taken, another process may delete the new file as abandoned. In this
        // case the loop tries the next name.
        zarr::PathLock::Failure failure{};
        lock_ = zarr::PathLock::Try(staging_, failure);
        if (lock_ ? lock_->IsOf(staging_) : failure == zarr::PathLock::Failure::kImpossible)
            return {};
    }
    return Status::Io("cannot be created: another process deletes the file");
}

StagedFile::~StagedFile() {
    zarr::NoThrow([this] {
        const QuietErrors quiet;
        file_.reset();
        if (!staging_.empty()) VSIUnlink(staging_.c_str());
    });
}

Status StagedFile::Write(zarr::ByteSpan bytes) {
    if (bytes.size == 0) return {};
    const QuietErrors quiet;
    errno = 0;
    if (VSIFWriteL(bytes.data, 1, bytes.size, file_.get()) == bytes.size) return {};
    return FileFailure("cannot be written", errno);
}

Status StagedFile::Commit() {
    const QuietErrors quiet;
    errno = 0;
    if (VSIFCloseL(file_.release()) != 0) return FileFailure("cannot be written", errno);
    if (RenamingAt(path_) == Renaming::kNo) {
        if (!CopyFile(staging_, path_)) return FileFailure("cannot be copied to its path", 0);
        VSIUnlink(staging_.c_str());
    } else {
        std::error_code ignored;
        const auto status = std::filesystem::status(std::filesystem::u8path(path_), ignored);
        if (IsLocalFile(path_) && std::filesystem::exists(status))
            std::filesystem::permissions(std::filesystem::u8path(staging_), status.permissions(),
                                         ignored);
        errno = 0;
        if (VSIRename(staging_.c_str(), path_.c_str()) != 0)
            return FileFailure("cannot be renamed to its final name", errno);
    }
    staging_.clear();
    RecordReplacement(path_);
    return {};
}

}  // namespace zarr_driver
