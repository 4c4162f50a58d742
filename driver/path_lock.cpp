// SPDX-License-Identifier: MIT
#include "driver/path_lock.h"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace zarr_driver {

#if defined(__unix__) || defined(__APPLE__)

std::optional<PathLock> PathLock::Try(const std::string& path, Failure& failure) {
    failure = Failure::kImpossible;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return std::nullopt;
    PathLock lock(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) failure = Failure::kHeld;
        return std::nullopt;
    }
    return lock;
}

std::optional<PathLock> PathLock::Share(int descriptor, Failure& failure) {
    failure = Failure::kImpossible;
    const int own = fcntl(descriptor, F_DUPFD_CLOEXEC, 0);
    if (own < 0) return std::nullopt;
    PathLock lock(own);
    const bool is_locked = flock(own, LOCK_SH | LOCK_NB) == 0;
    struct stat file {};
    const bool is_gone = is_locked && fstat(own, &file) == 0 && file.st_nlink == 0;
    if (is_gone || (!is_locked && errno == EWOULDBLOCK)) failure = Failure::kHeld;
    if (is_gone || !is_locked) return std::nullopt;
    return lock;
}

bool PathLock::IsOf(const std::string& path) const {
    struct stat locked {};
    struct stat there {};
    return fstat(descriptor_, &locked) == 0 && lstat(path.c_str(), &there) == 0 &&
           locked.st_dev == there.st_dev && locked.st_ino == there.st_ino;
}

void PathLock::Release() {
    if (descriptor_ >= 0) close(std::exchange(descriptor_, -1));
}

#else

std::optional<PathLock> PathLock::Try(const std::string& /*path*/, Failure& failure) {
    failure = Failure::kImpossible;
    return std::nullopt;
}

std::optional<PathLock> PathLock::Share(int /*descriptor*/, Failure& failure) {
    failure = Failure::kImpossible;
    return std::nullopt;
}

bool PathLock::IsOf(const std::string& /*path*/) const { return false; }

void PathLock::Release() {}

#endif

}  // namespace zarr_driver
