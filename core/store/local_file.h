// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "core/base/bytes.h"

// 1 if files are read with POSIX calls. 0 on Windows, where files are read with standard C, which
// reads on one thread and accepts no UTF-8 names.
#ifdef _WIN32
#define ZARR_HAS_POSIX_FILES 0
#else
#define ZARR_HAS_POSIX_FILES 1
#endif

namespace zarr {

// Returns the modification time in `state`, a result of stat(), in nanoseconds since 1970. The
// system determines the precision.
template <class Stat>
std::int64_t ModificationTime(const Stat& state) {
    std::int64_t time = std::int64_t{state.st_mtime} * 1'000'000'000;
#if defined(__linux__)
    time += state.st_mtim.tv_nsec;
#endif
    return time;
}

// Removes the file or link at `path`, but not a folder. Returns 0 or an errno.
int RemoveFile(const std::string& path);

#if ZARR_HAS_POSIX_FILES
// Fills `memory` with bytes of the open file `descriptor`, from `offset` on. Returns 0 or an errno;
// EIO if the file is too short.
int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory);
#endif

// Type of a folder entry, as stated by the listing of the folder. The type of a link is kUnknown.
enum class EntryType : std::uint8_t { kFolder, kOther, kUnknown };

// Calls `visit` for each entry of a folder except "." and "..", in any order, until `visit` returns
// false. Returns 0 or an errno. Exceptions of `visit` propagate. Throws std::bad_alloc if memory
// runs out, whereas std::filesystem's iterator would end the process. Thread-safe.
int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit);

// Local file, open for reading. Only regular files are opened: opening a pipe, socket or device
// could wait forever or have side effects. Movable. The destructor closes the file. Not
// thread-safe.
class LocalFile {
  public:
    LocalFile() = default;
    ~LocalFile() { Close(); }
    LocalFile(const LocalFile&) = delete;
    LocalFile& operator=(const LocalFile&) = delete;
    LocalFile(LocalFile&& other) noexcept;
    LocalFile& operator=(LocalFile&& other) noexcept;

    // Opens the file at `path`, absolute or relative to the current folder. Returns 0 or an errno:
    // EISDIR for a folder, ENODEV for a pipe, socket or device.
    int Open(const std::string& path);
#if ZARR_HAS_POSIX_FILES
    bool is_open() const { return descriptor_ >= 0; }
#else
    bool is_open() const { return file_ != nullptr; }
#endif
    std::uint64_t size() const { return size_; }
    // Return the modification time (by ModificationTime()) and the inode number at the time of
    // opening; 0 without POSIX.
    std::int64_t modified() const { return modified_; }
    std::uint64_t number() const { return number_; }
    // Fills `memory` with the file's bytes from `offset` on, on as many threads as the caller's
    // ThreadBudget allows. Returns 0 or an errno; EIO if the file is too short.
    int ReadAt(std::uint64_t offset, MutableByteSpan memory) const;
    // True if the byte at `offset` is not in the system's page cache, so that a read would wait for
    // a disk. The check itself may start fetching the byte. Returns false if the system cannot
    // tell.
    bool WaitsForDisk(std::uint64_t offset) const;

  private:
    void Close();

#if ZARR_HAS_POSIX_FILES
    int descriptor_ = -1;
#else
    std::FILE* file_ = nullptr;
#endif
    std::uint64_t size_ = 0;
    std::int64_t modified_ = 0;
    std::uint64_t number_ = 0;
};

// Returns the contents of the file at `path`. Returns an empty string if LocalFile cannot read it,
// or if it has more than `most` bytes.
std::string SmallFile(const std::string& path, std::uint64_t most);

}  // namespace zarr
