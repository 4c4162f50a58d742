// SPDX-License-Identifier: MIT
#include "driver/transport/byte_file.h"

#include <cpl_error.h>
#include <cpl_vsi.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <utility>

#include "core/base/files.h"
#include "core/store/staging.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

Status Failed(const char* what, int error) {
    return Status::Io(std::string("the zip file cannot be ") + what +
                      (error != 0 ? ": " + std::generic_category().message(error) : ""));
}

class LocalByteFile final : public zarr::ByteFile {
  public:
    LocalByteFile(int descriptor, std::optional<zarr::PathLock> lock, std::string path)
        : descriptor_(descriptor), lock_(std::move(lock)), path_(std::move(path)) {}
    ~LocalByteFile() override { zarr::CloseDescriptor(descriptor_); }
    LocalByteFile(const LocalByteFile&) = delete;
    LocalByteFile& operator=(const LocalByteFile&) = delete;

    std::uint64_t size() const override {
        const auto state = zarr::StateOf(descriptor_);
        return state ? state->size : 0;
    }
    Status ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const override {
        const int error = zarr::ReadDescriptor(descriptor_, offset, memory);
        return error == 0 ? Status() : Failed("read", error);
    }
    Status WriteAt(std::uint64_t offset, zarr::ByteSpan bytes) override {
        const int error = zarr::WriteDescriptorAt(descriptor_, offset, bytes);
        return error == 0 ? Status() : Failed("written", error);
    }
    Status Truncate(std::uint64_t size) override {
        const int error = zarr::ResizeDescriptor(descriptor_, size);
        return error == 0 ? Status() : Failed("written", error);
    }
    bool IsInPlace() const override {
        if (path_.empty()) return true;
        const auto opened = zarr::StateOf(descriptor_);
        const auto there = opened ? zarr::StateAt(path_) : std::nullopt;
        return there && opened->IsSameFile(*there);
    }

  private:
    const int descriptor_;
    const std::optional<zarr::PathLock> lock_;
    const std::string path_;  // absolute; empty if the file was opened under a staging name
};

// Counts how often this process has replaced each file of GDAL's file systems. These files have no
// inode numbers that would show a replacement.
class ReplacementCounts {
  public:
    void Add(const std::string& path) {
        const std::lock_guard<std::mutex> lock(mutex_);
        ++counts_[path];
    }
    std::uint64_t Of(const std::string& path) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto found = counts_.find(path);
        return found != counts_.end() ? found->second : 0;
    }

  private:
    mutable std::mutex mutex_;
    std::map<std::string, std::uint64_t> counts_;
};

ReplacementCounts& Replacements() {
    static auto& counts = *new ReplacementCounts();
    return counts;
}

// A zip file in one of GDAL's file systems. The only file handle has a single file offset, so a
// mutex serialises all access.
class VsiByteFile final : public zarr::ByteFile {
  public:
    VsiByteFile(VsiFile file, std::string path)
        : file_(std::move(file)), path_(std::move(path)), replacements_(Replacements().Of(path_)) {}

    std::uint64_t size() const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return VSIFSeekL(file_.get(), 0, SEEK_END) == 0 ? VSIFTellL(file_.get()) : 0;
    }
    Status ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const override {
        const std::lock_guard<std::mutex> lock(mutex_);
        const bool is_read = memory.size == 0 ||
                             (VSIFSeekL(file_.get(), offset, SEEK_SET) == 0 &&
                              VSIFReadL(memory.data, 1, memory.size, file_.get()) == memory.size);
        return is_read ? Status() : Failed("read", 0);
    }
    Status WriteAt(std::uint64_t offset, zarr::ByteSpan bytes) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        const QuietErrors quiet;
        const bool is_written =
            bytes.size == 0 || (VSIFSeekL(file_.get(), offset, SEEK_SET) == 0 &&
                                VSIFWriteL(bytes.data, 1, bytes.size, file_.get()) == bytes.size &&
                                VSIFFlushL(file_.get()) == 0);
        return is_written ? Status() : Failed("written", 0);
    }
    Status Truncate(std::uint64_t size) override {
        const std::lock_guard<std::mutex> lock(mutex_);
        return VSIFTruncateL(file_.get(), size) == 0 ? Status() : Failed("written", 0);
    }
    bool IsInPlace() const override { return Replacements().Of(path_) == replacements_; }

  private:
    mutable std::mutex mutex_;
    const VsiFile file_;
    const std::string path_;
    const std::uint64_t replacements_;  // replacement count of path_ when the file was opened
};

// Locks a zip file. Returns nullopt if that fails, and sets `is_locked` if the reason is another
// lock: not if the file system has no locks.
std::optional<zarr::PathLock> TryLock(const std::string& path, bool& is_locked) {
    std::error_code error;
    const std::filesystem::path real =
        std::filesystem::canonical(std::filesystem::u8path(path), error);
    const std::string file = error ? path : real.generic_u8string();
    zarr::PathLock::Failure failure{};
    auto lock = zarr::PathLock::Try(file, failure);
    // Another process may have replaced the file by a new one.
    const bool is_replaced = lock && !lock->IsOf(file);
    is_locked = is_replaced || (!lock && failure == zarr::PathLock::Failure::kLocked);
    return is_replaced ? std::nullopt : std::move(lock);
}

}  // namespace

void RecordReplacement(const std::string& path) {
    if (!IsLocalPath(path)) Replacements().Add(path);
}

Result<std::unique_ptr<zarr::ByteFile>> OpenByteFile(const std::string& path,
                                                     bool is_locked_by_caller) {
    using FilePtr = std::unique_ptr<zarr::ByteFile>;
    if (IsLocalPath(path)) {
        std::optional<zarr::PathLock> lock;
        if (!is_locked_by_caller) {
            bool is_locked = false;
            lock = TryLock(path, is_locked);
            if (is_locked) return FilePtr();
        }
        const int descriptor = zarr::OpenDescriptor(path, zarr::OpenAs::kUpdate);
        if (descriptor < 0) return Failed("opened for update", errno);
        return FilePtr(std::make_unique<LocalByteFile>(
            descriptor, std::move(lock),
            is_locked_by_caller ? std::string() : OpenFolder(path)->Identity()));
    }
    if (RenamingAt(path) == Renaming::kNo)
        return Status::Unsupported(
            "a zip file in an object store cannot be updated in place; update a local copy");
    const QuietErrors quiet;
    VsiFile file(VSIFOpenL(path.c_str(), "r+b"));
    if (file == nullptr) return Failed("opened for update", errno);
    return FilePtr(std::make_unique<VsiByteFile>(std::move(file), path));
}

}  // namespace zarr_driver
