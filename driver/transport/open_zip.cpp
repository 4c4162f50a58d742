// SPDX-License-Identifier: MIT
#include "driver/transport/open_zip.h"

#include <cpl_string.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/fork.h"
#include "core/store/local_file.h"
#include "core/store/staging.h"
#include "driver/base/gdal_errors.h"
#include "driver/transport/http_client.h"
#include "driver/transport/http_errors.h"
#include "driver/transport/response_cache.h"
#include "driver/transport/shared_objects.h"
#include "driver/transport/store_path.h"
#include "driver/transport/vsi_store.h"

namespace zarr_driver {

using zarr::Result;
using zarr::Status;

namespace {

// Maximum size in bytes of a response that is longer than the requested range.
constexpr std::size_t kMaxUnrequestedBytes = std::size_t{64} << 20;

std::uint64_t SizeOf(const VSIStatBufL& stat) {
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(static_cast<std::int64_t>(stat.st_size), 0));
}

// Reads a zip file in one of GDAL's file systems. Each concurrent read uses its own file handle.
class VsiSource final : public zarr::ByteSource {
  public:
    // `inode` is the number of the file, by which its replacement is noticed. It is nullopt for a
    // file that this process has locked, and 0 where files have no numbers.
    VsiSource(const std::string& path, std::uint64_t size,
              std::optional<std::uint64_t> inode = std::nullopt)
        : path_(path), size_(size), inode_(inode) {}
    ~VsiSource() override {
        const QuietErrors quiet;
        CloseAll(idle_);
    }
    VsiSource(const VsiSource&) = delete;
    VsiSource& operator=(const VsiSource&) = delete;

    std::uint64_t size() const override { return size_; }
    bool is_remote() const override { return path_.is_remote(); }
    zarr::ReadCost cost() const override {
        return is_remote() ? LinkTo(path_).Cost() : zarr::StoreTraits::kLocalCost;
    }

    Status ReadAt(std::uint64_t offset, zarr::MutableByteSpan memory) const override {
        if (memory.size == 0) return {};
        const QuietErrors quiet;
        if (const auto url = path_.Url()) return ReadUrl(*url, offset, memory);
        VSILFILE* const file = Take();
        if (file == nullptr) return Status::Io("the zip file cannot be opened");
        const bool is_read = VSIFSeekL(file, offset, SEEK_SET) == 0 &&
                             VSIFReadL(memory.data, 1, memory.size, file) == memory.size;
        Return(file);
        ZARR_RETURN_IF_ERROR(CheckNotReplaced(offset + memory.size));
        return is_read ? Status() : Status::Io("the zip file cannot be read");
    }

  private:
    // Fails if another file has taken the name of the file, or if the file ends before the offset
    // `end` of a part that is known to be there. A file of another size is the same, because
    // writers add members, and move the central directory, behind the members that are known. An
    // open handle goes on reading a deleted file.
    Status CheckNotReplaced(std::uint64_t end) const {
        if (is_remote() || !inode_) return {};
        VSIStatBufL stat;
        constexpr int kWhat = VSI_STAT_EXISTS_FLAG | VSI_STAT_SIZE_FLAG;
        if (VSIStatExL(path_.c_str(), &stat, kWhat) != 0) return {};
        if (SizeOf(stat) >= end && static_cast<std::uint64_t>(stat.st_ino) == inode_) return {};
        return Status::Io("the zip file was replaced after it was opened; open it again");
    }

    Status ReadUrl(const std::string& url, std::uint64_t offset,
                   zarr::MutableByteSpan memory) const {
        zarr::Buffer part;
        // A server without range support sends the whole file for each range, which is accepted up
        // to this limit.
        const std::size_t limit = std::max(memory.size, kMaxUnrequestedBytes);
        auto found = FetchCached({url, path_, path_}, part, limit, ByteExtent{offset, memory.size});
        if (!found.ok() && found.status().code() == zarr::StatusCode::kLimit)
            return Status::Io(
                "the server does not support byte ranges, and the zip file has more than " +
                std::to_string(limit) + " bytes; download it first");
        ZARR_RETURN_IF_ERROR(found.status());
        if (!*found || part.size() != memory.size) return Status::Io("the zip file is truncated");
        std::memcpy(memory.data, std::as_const(part).data(), memory.size);
        return {};
    }

    VSILFILE* Take() const {
        std::vector<VSILFILE*> parents;
        VSILFILE* file = nullptr;
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            // A forked child opens file handles of its own, because the parent's handles share
            // their file offsets with the child.
            if (generation_ != zarr::ForkGeneration()) parents.swap(idle_);
            generation_ = zarr::ForkGeneration();
            if (!idle_.empty()) {
                file = idle_.back();
                idle_.pop_back();
            }
        }
        CloseAll(parents);
        return file != nullptr ? file : VSIFOpenL(path_.c_str(), "rb");
    }

    static void CloseAll(const std::vector<VSILFILE*>& files) {
        for (VSILFILE* file : files) VSIFCloseL(file);
    }

    void Return(VSILFILE* file) const {
        const std::lock_guard<std::mutex> lock(mutex_);
        idle_.push_back(file);
    }

    const StorePath path_;
    const std::uint64_t size_;
    const std::optional<std::uint64_t> inode_;
    mutable std::mutex mutex_;
    // Fork generation of the process that opened the idle handles.
    mutable std::uint64_t generation_ = zarr::ForkGeneration();
    mutable std::vector<VSILFILE*> idle_;
};

using Archive = std::shared_ptr<const zarr::ZipArchive>;

// Never destroyed, because threads may still use it while the process exits.
auto& archives = *new SharedObjects<zarr::ZipArchive>(LastObject::kKept);

}  // namespace

void CloseIdleZip() { archives.FreeLast(); }

Status CheckIsNoPipe(const std::string& path, const VSIStatBufL& stat) {
    if (!IsLocalPath(path) || VSI_ISREG(stat.st_mode) || VSI_ISDIR(stat.st_mode)) return {};
    return Status::Io("is not a regular file (a pipe, a socket or a device), and not read");
}

namespace {

// Returns a text that identifies the state of the zip file, which `stat` describes.
std::string IdentityOf(const std::string& path, const VSIStatBufL& stat) {
    std::string identity = OpenFolder(path)->Identity() + "\n" + std::to_string(stat.st_size) +
                           "\n" + std::to_string(zarr::ModificationTime(stat)) + "\n" +
                           std::to_string(stat.st_ino);
    // Times of files in /vsimem/ are whole seconds, and the files have no inode numbers, so a file
    // may change again without a new time. A file that is younger than two seconds gets a unique
    // identity, so that no cached archive is used.
    static std::atomic<std::uint64_t> count{0};
    if (STARTS_WITH(path.c_str(), "/vsimem/") && std::time(nullptr) - stat.st_mtime < 2)
        identity += "\n" + std::to_string(count++);
    return identity;
}

// Returns the open archive with this identity, or opens the zip file, which `stat` describes.
Result<Archive> OpenAsOf(const std::string& path, const VSIStatBufL& stat,
                         const std::string& identity) {
    if (auto archive = archives.Find(identity)) return archive;
    auto source =
        std::make_unique<VsiSource>(path, SizeOf(stat), static_cast<std::uint64_t>(stat.st_ino));
    ZARR_ASSIGN_OR_RETURN(auto archive, zarr::ZipArchive::Open(std::move(source), identity, path));
    archives.Add(identity, archive);
    return archive;
}

}  // namespace

Result<std::shared_ptr<const zarr::ZipArchive>> OpenZip(const std::string& path) {
    const QuietErrors quiet;
    // Another process may replace the central directory while it is read here. The file is valid
    // before and after each of its writes, so a local file is damaged only if it does not open
    // twice in the same state.
    constexpr int kAttempts = 20;
    constexpr std::chrono::milliseconds kPause{5};
    std::string failed;
    for (int attempt = 1;; ++attempt) {
        VSIStatBufL stat;
        if (VSIStatExL(path.c_str(), &stat, VSI_STAT_EXISTS_FLAG | VSI_STAT_SIZE_FLAG) != 0) {
            if (StorePath(path).is_remote()) ZARR_RETURN_IF_ERROR(AskGdal(path, "").status());
            return Status::NotFound("the zip file does not exist");
        }
        ZARR_RETURN_IF_ERROR(CheckIsNoPipe(path, stat));
        std::string identity = IdentityOf(path, stat);
        auto archive = OpenAsOf(path, stat, identity);
        if (archive.ok() || !IsLocalPath(path) || attempt == kAttempts || identity == failed)
            return archive;
        failed = std::move(identity);
        std::this_thread::sleep_for(kPause);
    }
}

Result<std::shared_ptr<const zarr::ZipArchive>> OpenLockedZip(const std::string& path,
                                                              std::uint64_t size) {
    return zarr::ZipArchive::Open(std::make_unique<VsiSource>(path, size), path, path);
}

}  // namespace zarr_driver
