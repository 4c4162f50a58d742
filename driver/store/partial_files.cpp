// SPDX-License-Identifier: MIT
#include "driver/store/partial_files.h"

#include <cpl_conv.h>
#include <cpl_multiproc.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <random>
#include <string_view>

#include "core/base/status.h"

#if defined(__unix__) || defined(__APPLE__)
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace zarr_driver {

namespace {

// What tells this process from those of other machines. At load, as a thread that is about to find
// it out for a static of a function would leave that locked in a forked child.
const std::uint32_t machine = std::random_device()();

constexpr std::string_view kOwnDigits = "7a617272";
constexpr std::size_t kDigits = 32;
constexpr std::string_view kEnd = ".partial";

bool IsOwnName(std::string_view name) {
    constexpr std::size_t kTail = 1 + kDigits + kEnd.size();
    if (name.size() <= kTail) return false;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view digits = tail.substr(1, kDigits);
    return tail[0] == '.' && digits.substr(0, kOwnDigits.size()) == kOwnDigits &&
           digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           tail.substr(1 + kDigits) == kEnd;
}

void RemoveUnlessHeld(const std::string& path) {
    PathLock::Failure failure{};
    const auto lock = PathLock::Try(path, failure);
    if (lock && lock->IsOf(path)) VSIUnlink(path.c_str());
}

}  // namespace

std::string PartialName(const std::string& path) {
    static std::atomic<std::uint64_t> counter{0};
    // Asked each time: after a fork() both processes have the same static values.
    const std::uint32_t process = machine ^ static_cast<std::uint32_t>(CPLGetCurrentProcessID());
    char digits[kDigits + 1];
    std::snprintf(digits, sizeof digits, "%s%08x%016llx", kOwnDigits.data(), process,
                  static_cast<unsigned long long>(counter++));  // NOLINT: what printf takes
    return path + "." + digits + std::string(kEnd);
}

void PartialFile::Hold(VSILFILE* file) {
    void* const native = VSIFGetNativeFileDescriptorL(file);
    if (native == nullptr) return;
    PathLock::Failure failure{};
    lock_ = PathLock::Share(static_cast<int>(reinterpret_cast<std::intptr_t>(native)), failure);
    is_lost_ = !lock_ && failure == PathLock::Failure::kHeld;
}

void AbandonedFiles::RemoveBeside(const std::string& path) {
    // More folders than any but nested chunks have; to remember them would take memory without end.
    constexpr std::size_t kMostFolders = 10'000;
    std::string folder = CPLGetPath(path.c_str());
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (folders_.size() >= kMostFolders || !folders_.insert(folder).second) return;
    }
    // What cannot be listed or removed is no worse than it was.
    constexpr const char* kOptions[] = {"NAME_AND_TYPE_ONLY=YES", nullptr};
    VSIDIR* const dir = VSIOpenDir(folder.c_str(), 0, kOptions);
    while (const VSIDIREntry* entry = dir != nullptr ? VSIGetNextDirEntry(dir) : nullptr)
        if (IsOwnName(entry->pszName))
            zarr::NoThrow([&] { RemoveUnlessHeld(folder + "/" + entry->pszName); });
    if (dir != nullptr) VSICloseDir(dir);
}

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
