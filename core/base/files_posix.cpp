// SPDX-License-Identifier: MIT
// Files on Linux, macOS and other POSIX systems.
#ifndef _WIN32

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>

#include "core/base/files.h"

namespace zarr {

namespace {

int Flags(OpenAs as) {
    switch (as) {
        case OpenAs::kRead:
            return O_RDONLY | O_NONBLOCK | O_NOCTTY;
        case OpenAs::kReadNoLink:
            return O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
        case OpenAs::kUpdate:
            return O_RDWR;
        case OpenAs::kUpdateNoLink:
            return O_RDWR | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW;
        case OpenAs::kUpdateOrCreate:
            return O_RDWR | O_CREAT;
        case OpenAs::kNew:
            break;
    }
    return O_WRONLY | O_CREAT | O_EXCL;
}

FileType TypeOf(const struct stat& state) {
    if (S_ISREG(state.st_mode)) return FileType::kFile;
    if (S_ISDIR(state.st_mode)) return FileType::kFolder;
    return S_ISLNK(state.st_mode) ? FileType::kLink : FileType::kOther;
}

FileState From(const struct stat& state) {
    return {TypeOf(state),
            state.st_nlink == 0,
            static_cast<std::uint64_t>(state.st_dev),
            static_cast<std::uint64_t>(state.st_ino),
            static_cast<std::uint64_t>(state.st_size),
            ModificationTime(state)};
}

Locking Lock(int descriptor, int operation) {
    if (flock(descriptor, operation | LOCK_NB) == 0) return Locking::kTaken;
    return errno == EWOULDBLOCK || errno == EINTR ? Locking::kHeldByOther : Locking::kImpossible;
}

// Locks of the open file (F_OFD_SETLKW) also exclude other users in this process. Locks of the
// process (F_SETLKW) are lost when any code in the process closes the file.
#if defined(F_OFD_SETLKW)
constexpr int kSetLockAndWait = F_OFD_SETLKW;
#else
constexpr int kSetLockAndWait = F_SETLKW;
#endif

// Locks the whole file if `type` is F_WRLCK, and unlocks it if `type` is F_UNLCK.
int SetLock(int descriptor, short type) {
    for (;;) {
        struct flock lock = {};
        lock.l_type = type;
        lock.l_whence = SEEK_SET;
        if (::fcntl(descriptor, kSetLockAndWait, &lock) == 0) return 0;
        if (errno == EINTR) continue;
        if (errno != EDEADLK) return errno;
        // EDEADLK is a false alarm: threads of two processes wait for each other's process, but no
        // thread holds two locks. The lock is therefore tried again.
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

struct CloseListing {
    void operator()(DIR* listing) const { closedir(listing); }
};

EntryType TypeOf(const dirent& entry) {
    if (entry.d_type == DT_LNK || entry.d_type == DT_UNKNOWN) return EntryType::kUnknown;
    return entry.d_type == DT_DIR ? EntryType::kFolder : EntryType::kOther;
}

}  // namespace

int OpenDescriptor(const std::string& path, OpenAs as) {
    int descriptor = -1;
    do {
        descriptor = open(path.c_str(), Flags(as) | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

int CloseDescriptor(int descriptor) { return close(descriptor) == 0 ? 0 : errno; }

int DuplicateDescriptor(int descriptor) { return fcntl(descriptor, F_DUPFD_CLOEXEC, 0); }

int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory) {
    // Maximum number of bytes that one call of pread() reads on every system.
    constexpr std::size_t kMost = std::size_t{1} << 30;
    for (std::size_t done = 0; done < memory.size;) {
        const ssize_t got =
            pread(descriptor, memory.data + done, std::min(memory.size - done, kMost),
                  static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return got < 0 ? errno : EIO;
        done += static_cast<std::size_t>(got);
    }
    return 0;
}

int WriteDescriptor(int descriptor, const std::vector<ByteSpan>& parts) {
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
        const ssize_t written = writev(descriptor, &pieces[at], static_cast<int>(count));
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return written < 0 ? errno : ENOSPC;
        auto left = static_cast<std::size_t>(written);
        for (; at < pieces.size() && left >= pieces[at].iov_len; ++at) left -= pieces[at].iov_len;
        if (left == 0) continue;
        pieces[at].iov_base = static_cast<std::uint8_t*>(pieces[at].iov_base) + left;
        pieces[at].iov_len -= left;
    }
    return 0;
}

int WriteDescriptorAt(int descriptor, std::uint64_t offset, ByteSpan bytes) {
    while (bytes.size != 0) {
        const ssize_t count =
            pwrite(descriptor, bytes.data, bytes.size, static_cast<off_t>(offset));
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return count < 0 ? errno : ENOSPC;
        bytes = bytes.From(static_cast<std::size_t>(count));
        offset += static_cast<std::uint64_t>(count);
    }
    return 0;
}

int ResizeDescriptor(int descriptor, std::uint64_t size) {
    return ftruncate(descriptor, static_cast<off_t>(size)) == 0 ? 0 : errno;
}

int TouchDescriptor(int descriptor) { return futimens(descriptor, nullptr) == 0 ? 0 : errno; }

bool WaitsForDisk(int descriptor, std::uint64_t offset) {
#if defined(RWF_NOWAIT)
    std::uint8_t byte = 0;
    const iovec place{&byte, 1};
    return preadv2(descriptor, &place, 1, static_cast<off_t>(offset), RWF_NOWAIT) < 0 &&
           errno == EAGAIN;
#else
    static_cast<void>(descriptor);
    static_cast<void>(offset);
    return false;
#endif
}

std::optional<FileState> StateOf(int descriptor) {
    struct stat state = {};
    if (fstat(descriptor, &state) != 0) return std::nullopt;
    return From(state);
}

std::optional<FileState> StateAt(const std::string& path) {
    struct stat state = {};
    if (stat(path.c_str(), &state) != 0) return std::nullopt;
    return From(state);
}

std::optional<FileState> StateAtLink(const std::string& path) {
    struct stat state = {};
    if (lstat(path.c_str(), &state) != 0) return std::nullopt;
    return From(state);
}

std::string FolderIdentity(const std::string& path) {
#if defined(__linux__) && defined(STATX_BTIME)
    struct statx state = {};
    if (::statx(AT_FDCWD, path.c_str(), 0, STATX_INO | STATX_BTIME, &state) == 0) {
        std::string name = std::to_string(state.stx_ino);
        if ((state.stx_mask & STATX_BTIME) != 0)
            name += "@" + std::to_string(state.stx_btime.tv_sec) + "." +
                    std::to_string(state.stx_btime.tv_nsec);
        return name;
    }
#endif
    const auto found = StateAt(path);
    return found ? std::to_string(found->device) + ":" + std::to_string(found->number) : "";
}

bool IsOwnFileOrOfOwnerOf(const std::string& path, const std::string& other) {
    struct stat file = {};
    struct stat there = {};
    return lstat(path.c_str(), &file) == 0 && S_ISREG(file.st_mode) &&
           stat(other.c_str(), &there) == 0 &&
           (file.st_uid == geteuid() || file.st_uid == there.st_uid);
}

Locking TryLock(int descriptor) { return Lock(descriptor, LOCK_EX); }

Locking TryShareLock(int descriptor) { return Lock(descriptor, LOCK_SH); }

void Unlock(int descriptor) { flock(descriptor, LOCK_UN); }

int LockWholeFile(int descriptor) { return SetLock(descriptor, F_WRLCK); }

int UnlockWholeFile(int descriptor) { return SetLock(descriptor, F_UNLCK); }

int RenamePath(const std::string& from, const std::string& to) {
    return std::rename(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

int RemoveFile(const std::string& path) { return unlink(path.c_str()) == 0 ? 0 : errno; }

int MakeFolder(const std::string& path) { return mkdir(path.c_str(), 0755) == 0 ? 0 : errno; }

std::string RealPath(const std::string& path) {
    const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr),
                                                           std::free);
    return real != nullptr ? real.get() : "";
}

int CheckWritableFolder(const std::string& path) {
    return access(path.c_str(), W_OK | X_OK) == 0 ? 0 : errno;
}

int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit) {
    const std::unique_ptr<DIR, CloseListing> listing(opendir(folder.c_str()));
    if (listing == nullptr) return errno;
    for (;;) {
        errno = 0;
        // NOLINTNEXTLINE(concurrency-mt-unsafe): no other thread has this listing
        const dirent* const entry = readdir(listing.get());
        if (entry == nullptr) return errno;
        const std::string name = entry->d_name;
        if (name != "." && name != ".." && !visit(name, TypeOf(*entry))) return 0;
    }
}

}  // namespace zarr

#endif
