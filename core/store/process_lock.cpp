// SPDX-License-Identifier: MIT
#include "core/store/process_lock.h"

#include "core/base/files.h"
#include "core/store/lock_file.h"

#ifndef _WIN32

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <limits>
#include <sstream>

#if defined(__linux__)
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#elif defined(__APPLE__)
#include <sys/mount.h>
#endif

#include "core/base/fork.h"
#include "core/base/fork_closed.h"

#endif

namespace zarr {

#ifndef _WIN32

namespace {

// True if other machines may write to the file system at `path`, which its flock(2) does not
// exclude.
bool IsShared(const std::string& path) {
#if defined(__linux__)
    // Numbers of NFS, SMB (three), AFS, 9P, FUSE, Ceph, Lustre, GPFS, GFS2, OCFS2, BeeGFS, Coda.
    constexpr std::array<std::uint32_t, 14> kShared = {
        0x6969,     0x517B,     0xFF534D42, 0xFE534D42, 0x5346414F, 0x01021997, 0x65735546,
        0x00C36400, 0x0BD00BD0, 0x47504653, 0x01161970, 0x7461636F, 0x19830326, 0x73757245};
    struct statfs system = {};
    if (statfs(path.c_str(), &system) != 0) return false;
    return std::find(kShared.begin(), kShared.end(), static_cast<std::uint32_t>(system.f_type)) !=
           kShared.end();
#elif defined(__APPLE__)
    struct statfs system = {};
    return statfs(path.c_str(), &system) == 0 && (system.f_flags & MNT_LOCAL) == 0;
#else
    static_cast<void>(path);
    return false;
#endif
}

// Lock by flock(2). Those who wait hold a read lock on a byte of the folder or file, whose offset
// is the time of their arrival. So the system keeps the queue, and forgets whoever is killed.
class FileLock final : public ProcessLock {
  public:
    explicit FileLock(int descriptor) : descriptor_(descriptor) { CloseInChildren(descriptor); }
    ~FileLock() override {
        if (generation_ != ForkGeneration()) return;
        // A child that was forked without fork() handlers has the file open, too, and would keep
        // the lock.
        Unlock(descriptor_);
        KeepInChildren(descriptor_);
        CloseDescriptor(descriptor_);
    }
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

    Result<bool> Try() override {
        if (is_taken_) return true;
        if (ticket_ == 0) {
            if (!IsSomebodyBefore(std::numeric_limits<off_t>::max())) {
                ZARR_ASSIGN_OR_RETURN(is_taken_, Lock());
                if (is_taken_) return true;
            }
            using std::chrono::microseconds;
            ticket_ = std::chrono::duration_cast<microseconds>(
                          std::chrono::steady_clock::now().time_since_epoch())
                          .count() +
                      1;
            SetTicket(F_RDLCK);
        }
        if (IsSomebodyBefore(ticket_)) return false;
        ZARR_ASSIGN_OR_RETURN(is_taken_, Lock());
        if (is_taken_) SetTicket(F_UNLCK);
        return is_taken_;
    }

    std::string Holder() const override {
        const auto process = ProcessWithLock();
        return process.empty() ? "" : "process " + process;
    }

  private:
    Result<bool> Lock() const {
        const Locking locking = TryLock(descriptor_);
        if (locking == Locking::kImpossible) return Status::Unsupported("flock() fails");
        return locking == Locking::kTaken;
    }

#if defined(F_OFD_SETLK) && defined(F_OFD_GETLK)
    void SetTicket(short type) const {
        struct flock byte = {};
        byte.l_type = type;
        byte.l_whence = SEEK_SET;
        byte.l_start = ticket_;
        byte.l_len = 1;
        // Without this lock the order of arrival is lost, but nothing else.
        static_cast<void>(fcntl(descriptor_, F_OFD_SETLK, &byte));
    }

    bool IsSomebodyBefore(off_t ticket) const {
        struct flock bytes = {};
        bytes.l_type = F_WRLCK;
        bytes.l_whence = SEEK_SET;
        bytes.l_start = 0;
        bytes.l_len = ticket;
        return fcntl(descriptor_, F_OFD_GETLK, &bytes) == 0 && bytes.l_type != F_UNLCK;
    }
#else
    void SetTicket(short /*type*/) const {}
    bool IsSomebodyBefore(off_t /*ticket*/) const { return false; }
#endif

    // Returns the number of the process that holds the lock, from Linux's list of locks; empty if
    // the list does not have it.
    std::string ProcessWithLock() const {
#if defined(__linux__)
        const auto file = StateOf(descriptor_);
        if (!file) return {};
        char name[64];
        std::snprintf(name, sizeof name, "%02x:%02x:%llu", major(file->device), minor(file->device),
                      static_cast<unsigned long long>(file->number));  // NOLINT: what printf takes
        std::ifstream locks("/proc/locks");
        for (std::string line; std::getline(locks, line);) {
            std::istringstream words(line);
            std::string number, kind, advisory, access, process, file_name;
            words >> number >> kind >> advisory >> access >> process >> file_name;
            if (kind == "FLOCK" && access == "WRITE" && file_name == name) return process;
        }
#endif
        return {};
    }

    const std::uint64_t generation_ = ForkGeneration();
    const int descriptor_;
    bool is_taken_ = false;
    off_t ticket_ = 0;  // microseconds on the machine's clock; 0 before the first wait
};

// Returns nullptr if flock(2) is impossible at `path`.
Result<std::unique_ptr<ProcessLock>> OpenFileLock(const std::string& path) {
    const int descriptor = OpenDescriptor(path, OpenAs::kRead);
    if (descriptor < 0 && (errno == ENOENT || errno == ENOTDIR))
        return Status::NotFound("the store does not exist");
    if (descriptor < 0) return std::unique_ptr<ProcessLock>();
    auto lock = std::make_unique<FileLock>(descriptor);
    // The first attempt shows whether the file system has locks.
    return std::unique_ptr<ProcessLock>(lock->Try().ok() ? std::move(lock) : nullptr);
}

}  // namespace

Result<std::unique_ptr<ProcessLock>> OpenProcessLock(const std::string& path, LockMeans means) {
    if (means == LockMeans::kFlock || (means == LockMeans::kAuto && !IsShared(path))) {
        ZARR_ASSIGN_OR_RETURN(auto lock, OpenFileLock(path));
        if (lock != nullptr || means == LockMeans::kFlock) return lock;
    }
    return std::unique_ptr<ProcessLock>(std::make_unique<LockFile>(path));
}

#else

// Windows locks no folders, so that every store has a lock file.
Result<std::unique_ptr<ProcessLock>> OpenProcessLock(const std::string& path, LockMeans means) {
    if (means == LockMeans::kFlock) return std::unique_ptr<ProcessLock>();
    if (!StateAt(path)) return Status::NotFound("the store does not exist");
    return std::unique_ptr<ProcessLock>(std::make_unique<LockFile>(path));
}

#endif

std::optional<std::string> FileIdentity(const std::string& path) {
    const auto file = StateAt(path);
    if (!file) return std::nullopt;
    return std::to_string(file->device) + ":" + std::to_string(file->number);
}

}  // namespace zarr
