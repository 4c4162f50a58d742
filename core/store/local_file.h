// SPDX-License-Identifier: MIT
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

#include "core/base/bytes.h"

// 1 where the system's own calls are used. Elsewhere those of standard C are, which on Windows take
// no names in UTF-8, and read on one thread.
#ifdef _WIN32
#define ZARR_HAS_POSIX_FILES 0
#else
#define ZARR_HAS_POSIX_FILES 1
#endif

namespace zarr {

// The time of the last change in what stat() or its like told of a file, in nanoseconds since 1970,
// as exactly as the system tells.
template <class Stat>
std::int64_t ModificationTime(const Stat& state) {
    std::int64_t time = std::int64_t{state.st_mtime} * 1'000'000'000;
#if defined(__linux__)
    time += state.st_mtim.tv_nsec;
#endif
    return time;
}

// Removes a file or a link, but no folder. Returns 0 or an errno.
int RemoveFile(const std::string& path);

#if ZARR_HAS_POSIX_FILES
// Fills `memory` with what a file has from `offset` on. 0, or an error as errno has it; EIO where
// the file ends before.
int ReadDescriptor(int descriptor, std::uint64_t offset, MutableByteSpan memory);
#endif

// The type of an entry, as far as a listing tells it. Links are kUnknown.
enum class EntryType : std::uint8_t { kFolder, kOther, kUnknown };

// Calls `visit` for each entry of a folder but "." and "..", in any order, until it returns false.
// Returns 0, or an error as errno has it. What `visit` throws passes through. Throws std::bad_alloc
// if memory runs out, where std::filesystem's iterator ends the process. Thread-safe.
int VisitFolder(const std::string& folder,
                const std::function<bool(const std::string& name, EntryType type)>& visit);

// A file of this machine, open for reading. A pipe, a socket or a device may wait for ever for a
// writer, or act when it is opened; so only regular files are read, and no open waits. Moves;
// closes what it has open. One thread at a time.
class LocalFile {
  public:
    LocalFile() = default;
    ~LocalFile() { Close(); }
    LocalFile(const LocalFile&) = delete;
    LocalFile& operator=(const LocalFile&) = delete;
    LocalFile(LocalFile&& other) noexcept;
    LocalFile& operator=(LocalFile&& other) noexcept;

    // Opens the file at a path, relative to the current folder or absolute. 0, or an error as
    // errno has it: EISDIR for a folder, ENODEV for what is not a regular file.
    int Open(const std::string& path);
#if ZARR_HAS_POSIX_FILES
    bool is_open() const { return descriptor_ >= 0; }
#else
    bool is_open() const { return file_ != nullptr; }
#endif
    std::uint64_t size() const { return size_; }
    // When it was opened: the time of its last change, as ModificationTime() has it, and its
    // number; 0 where the system has none.
    std::int64_t modified() const { return modified_; }
    std::uint64_t number() const { return number_; }
    // Fills `memory` from `offset` on, by as many threads as the caller's ThreadBudget has.
    // 0, or an error; EIO where the file ends before.
    int ReadAt(std::uint64_t offset, MutableByteSpan memory) const;
    // True where what lies at `offset` is not in the system's memory, so that reading it waits for
    // a disk; it may begin to be fetched then. False where the system does not tell.
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

}  // namespace zarr
