// SPDX-License-Identifier: MIT
#include "core/store/partial_files.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <random>
#include <string_view>

#include "core/base/status.h"
#include "core/store/keys.h"
#include "core/store/local_file.h"

#if ZARR_HAS_POSIX_FILES
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>
#else
#include <process.h>
#define getpid _getpid
#endif

namespace zarr {

namespace {

// Random number that distinguishes processes with equal ids on different machines. Set when the
// library is loaded, because a fork during the initialisation of a local static would leave the
// static locked in the child.
const std::uint32_t machine = std::random_device()();

constexpr std::string_view kPartialMark = "7a617272";
constexpr std::size_t kPartialDigits = 32;
constexpr std::string_view kPartialSuffix = ".partial";

bool IsOwnName(std::string_view name) {
    constexpr std::size_t kTail = 1 + kPartialDigits + kPartialSuffix.size();
    if (name.size() <= kTail) return false;
    const std::string_view tail = name.substr(name.size() - kTail);
    const std::string_view digits = tail.substr(1, kPartialDigits);
    return tail[0] == '.' && digits.substr(0, kPartialMark.size()) == kPartialMark &&
           digits.find_first_not_of("0123456789abcdef") == std::string_view::npos &&
           tail.substr(1 + kPartialDigits) == kPartialSuffix;
}

void RemoveUnlessLocked(const std::string& path) {
    PathLock::Failure failure{};
    const auto lock = PathLock::Try(path, failure);
    if (lock && lock->IsOf(path)) RemoveFile(path);
}

}  // namespace

std::string StagingName(const std::string& path) {
    static std::atomic<std::uint64_t> counter{0};
    // The process id is not stored, because a forked child has another id.
    const std::uint32_t process = machine ^ static_cast<std::uint32_t>(getpid());
    char digits[kPartialDigits + 1];
    std::snprintf(digits, sizeof digits, "%s%08x%016llx", kPartialMark.data(), process,
                  static_cast<unsigned long long>(counter++));  // NOLINT: what printf takes
    return path + "." + digits + std::string(kPartialSuffix);
}

void AbandonedStagingFiles::RemoveInFolderOf(const std::string& path) {
    // Maximum number of folders in `folders_`, to limit memory. Only arrays with chunk keys like
    // "0/1/2" have more folders.
    constexpr std::size_t kMaxFolders = 10'000;
    std::string folder = path.substr(0, path.rfind('/'));
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (folders_.size() >= kMaxFolders || !folders_.insert(folder).second) return;
    }
    // Failures are ignored, because a staging file that is left behind does no harm.
    static_cast<void>(VisitFolder(folder, [&](const std::string& name, EntryType /*type*/) {
        if (IsOwnName(name)) NoThrow([&] { RemoveUnlessLocked(JoinKey(folder, name)); });
        return true;
    }));
}

#if ZARR_HAS_POSIX_FILES

std::optional<PathLock> PathLock::Try(const std::string& path, Failure& failure) {
    failure = Failure::kImpossible;
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) return std::nullopt;
    PathLock lock(descriptor);
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) failure = Failure::kLocked;
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
    if (is_gone || (!is_locked && errno == EWOULDBLOCK)) failure = Failure::kLocked;
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

int StagingFile::Create() {
    do {
        descriptor_ = open(staging_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) return errno;
    PathLock::Failure failure{};
    lock_ = PathLock::Share(descriptor_, failure);
    is_lost_ = !lock_ && failure == PathLock::Failure::kLocked;
    return 0;
}

int StagingFile::Write(const std::vector<ByteSpan>& parts) {
    // A system call writes at most 1 GiB, which every system accepts.
    constexpr std::size_t kMostPieces = 1024;
    constexpr std::size_t kPiece = std::size_t{1} << 20;
    std::vector<iovec> pieces;
    for (ByteSpan rest : parts)
        while (rest.size != 0) {
            const std::size_t size = std::min(rest.size, kPiece);
            pieces.push_back({const_cast<std::uint8_t*>(rest.data), size});
            rest = rest.From(size);
        }
    for (std::size_t at = 0; at < pieces.size();) {
        const std::size_t count = std::min(pieces.size() - at, kMostPieces);
        const ssize_t written = writev(descriptor_, &pieces[at], static_cast<int>(count));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        auto left = static_cast<std::size_t>(written);
        for (; at < pieces.size() && left >= pieces[at].iov_len; ++at) left -= pieces[at].iov_len;
        if (left == 0) continue;
        pieces[at].iov_base = static_cast<std::uint8_t*>(pieces[at].iov_base) + left;
        pieces[at].iov_len -= left;
    }
    return close(std::exchange(descriptor_, -1)) == 0 ? 0 : errno;
}

StagingFile::~StagingFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!staging_.empty()) RemoveFile(staging_);
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

int StagingFile::Create() {
    std::FILE* const file = std::fopen(staging_.c_str(), "wbx");
    return file == nullptr ? errno : std::fclose(file);
}

int StagingFile::Write(const std::vector<ByteSpan>& parts) {
    std::FILE* const file = std::fopen(staging_.c_str(), "wb");
    if (file == nullptr) return errno;
    const bool is_written = std::all_of(parts.begin(), parts.end(), [&](const ByteSpan& part) {
        return part.size == 0 || std::fwrite(part.data, 1, part.size, file) == part.size;
    });
    return std::fclose(file) == 0 && is_written ? 0 : errno;
}

StagingFile::~StagingFile() {
    if (!staging_.empty()) RemoveFile(staging_);
}

#endif

int StagingFile::RenameToFinal() {
    if (std::rename(staging_.c_str(), path_.c_str()) != 0) return errno;
    staging_.clear();
    return 0;
}

}  // namespace zarr
