// SPDX-License-Identifier: MIT
#include "core/store/lock_file.h"

#include "core/store/local_file.h"

#if ZARR_HAS_POSIX_FILES

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "core/base/fork.h"
#include "core/base/fork_closed.h"
#include "core/store/keys.h"
#include "core/store/partial_files.h"

namespace zarr {

namespace {

constexpr std::uint64_t kMostBytes = 4096;  // of a lock file

// True if `path` leads to the open file `descriptor`.
bool IsFileAt(int descriptor, const std::string& path) {
    struct stat own {};
    struct stat there {};
    return fstat(descriptor, &own) == 0 && lstat(path.c_str(), &there) == 0 &&
           own.st_dev == there.st_dev && own.st_ino == there.st_ino;
}

}  // namespace

std::string LockFile::PathFor(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                           std::free);
    const std::string store = real != nullptr ? real.get() : path;
    const std::string parent = store.substr(0, store.rfind('/') + 1);
    struct stat state {};
    const bool is_folder = stat(store.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
    if (is_folder && access(parent.empty() ? "." : parent.c_str(), W_OK | X_OK) != 0)
        return JoinKey(store, ".lock");
    return store + ".lock";
}

LockFile::LockFile(const std::string& path) : path_(PathFor(path)), generation_(ForkGeneration()) {}

LockFile::~LockFile() {
    if (descriptor_ < 0) return;
    if (generation_ != ForkGeneration()) {
        // The thread exists in the parent only.
        static_cast<void>(heartbeat_.release());
        return;
    }
    heartbeat_.reset();
    if (IsFileAt(descriptor_, path_)) RemoveFile(path_);
    KeepInChildren(descriptor_);
    close(descriptor_);
}

Result<bool> LockFile::Try() {
    ZARR_ASSIGN_OR_RETURN(const bool is_created, Create());
    if (is_created) return true;
    const std::string text = SmallFile(path_, kMostBytes);
    return IsAbandoned(text) ? TakeOver(text) : Result<bool>(false);
}

Result<bool> LockFile::Create() {
    ZARR_ASSIGN_OR_RETURN(const int descriptor, CreateOwn(path_));
    if (descriptor < 0) return false;
    Hold(descriptor);
    return true;
}

// Creates the file `path`, which names this process as the owner of the lock. Returns the open
// file; -1 if `path` exists.
Result<int> LockFile::CreateOwn(const std::string& path) const {
    const int descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno == EEXIST || errno == EINTR)) return -1;
    if (descriptor < 0)
        return Status::Permission(
            path_ + ": the lock file cannot be created: " + std::generic_category().message(errno));
    const std::string text = LockOwner::This().Text();
    if (write(descriptor, text.data(), text.size()) == static_cast<ssize_t>(text.size()))
        return descriptor;
    const int error = errno;
    close(descriptor);
    RemoveFile(path);
    return Status::Io(
        path_ + ": the lock file cannot be written: " + std::generic_category().message(error));
}

void LockFile::Hold(int descriptor) {
    descriptor_ = descriptor;
    CloseInChildren(descriptor);
    try {
        heartbeat_ =
            std::make_unique<LockHeartbeat>([descriptor] { futimens(descriptor, nullptr); });
    } catch (const std::system_error&) {
        // Without a thread the lock lasts for five minutes on other machines.
    }
}

bool LockFile::IsAbandoned(const std::string& text) const {
    const LockOwner owner = LockOwner::Parse(text);
    if (const auto has_ended = owner.HasEnded()) return *has_ended;
    struct stat file {};
    return stat(path_.c_str(), &file) == 0 && IsOld(ModificationTime(file));
}

// True if a file of this file system with the modification time `modified` was not touched for five
// minutes, by the clock of the file system.
bool LockFile::IsOld(std::int64_t modified) const {
    const std::string probe = StagingName(path_);
    const int descriptor = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0) return false;
    struct stat now {};
    const bool is_known = fstat(descriptor, &now) == 0;
    close(descriptor);
    RemoveFile(probe);
    return is_known &&
           ModificationTime(now) - modified > std::chrono::nanoseconds(kLockAbandoned).count();
}

// Replaces the lock file, which had the contents `text`, by one of this process. Returns false if
// another writer was faster. The file is replaced in one step, because any writer may create a file
// that is missing. Writers that take over at the same time exclude each other by flock(2) on the
// old file, where the file system has it.
Result<bool> LockFile::TakeOver(const std::string& text) {
    // Some file systems lock only files that are open for writing. The file may be another user's.
    constexpr int kFlags = O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW;
    int old = open(path_.c_str(), O_RDWR | kFlags);
    if (old < 0) old = open(path_.c_str(), O_RDONLY | kFlags);
    if (old < 0) return false;
    const bool is_other_first = flock(old, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    Result<bool> is_mine = false;
    if (!is_other_first && IsFileAt(old, path_) && SmallFile(path_, kMostBytes) == text)
        is_mine = Replace();
    close(old);
    return is_mine;
}

Result<bool> LockFile::Replace() {
    const std::string staging = StagingName(path_);
    ZARR_ASSIGN_OR_RETURN(const int descriptor, CreateOwn(staging));
    if (descriptor < 0) return false;
    if (std::rename(staging.c_str(), path_.c_str()) != 0) {
        close(descriptor);
        RemoveFile(staging);
        return false;
    }
    Hold(descriptor);
    return true;
}

std::string LockFile::Holder() const {
    const LockOwner owner = LockOwner::Parse(SmallFile(path_, kMostBytes));
    return owner.IsComplete() ? owner.Name() + ", " + path_ : path_;
}

}  // namespace zarr

#endif
