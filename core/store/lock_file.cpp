// SPDX-License-Identifier: MIT
#include "core/store/lock_file.h"

#include "core/store/local_file.h"

#if ZARR_HAS_POSIX_FILES

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "core/base/fork.h"
#include "core/base/fork_closed.h"
#include "core/store/keys.h"
#include "core/store/partial_files.h"

namespace zarr {

namespace {

std::string Whole(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
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
    struct stat own {};
    struct stat there {};
    if (fstat(descriptor_, &own) == 0 && lstat(path_.c_str(), &there) == 0 &&
        own.st_dev == there.st_dev && own.st_ino == there.st_ino)
        RemoveFile(path_);
    KeepInChildren(descriptor_);
    close(descriptor_);
}

Result<bool> LockFile::Try() {
    ZARR_ASSIGN_OR_RETURN(const bool is_created, Create());
    if (is_created) return true;
    const std::string text = Whole(path_);
    if (!IsAbandoned(text)) return false;
    TakeOver(text);
    return Create();
}

Result<bool> LockFile::Create() {
    const int descriptor = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && (errno == EEXIST || errno == EINTR)) return false;
    if (descriptor < 0)
        return Status::Permission(
            path_ + ": the lock file cannot be created: " + std::generic_category().message(errno));
    const std::string text = LockOwner::This().Text();
    if (write(descriptor, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
        const int error = errno;
        close(descriptor);
        RemoveFile(path_);
        return Status::Io(
            path_ + ": the lock file cannot be written: " + std::generic_category().message(error));
    }
    descriptor_ = descriptor;
    CloseInChildren(descriptor);
    try {
        heartbeat_ =
            std::make_unique<LockHeartbeat>([descriptor] { futimens(descriptor, nullptr); });
    } catch (const std::system_error&) {
        // Without a thread the lock lasts for five minutes on other machines.
    }
    return true;
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

// Removes the lock file if it still has the contents `text`. One of several writers that try so at
// the same time renames the file. Another may rename the lock of the first, and puts it back.
void LockFile::TakeOver(const std::string& text) const {
    const std::string aside = StagingName(path_);
    if (std::rename(path_.c_str(), aside.c_str()) != 0) return;
    if (Whole(aside) != text) static_cast<void>(link(aside.c_str(), path_.c_str()));
    RemoveFile(aside);
}

std::string LockFile::Holder() const {
    const LockOwner owner = LockOwner::Parse(Whole(path_));
    return owner.IsComplete() ? owner.Name() + ", " + path_ : path_;
}

}  // namespace zarr

#endif
