// SPDX-License-Identifier: MIT
// Files that are written under another name before they take their place, and the removal of those
// that a killed writer has left.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/bytes.h"

namespace zarr {

// An advisory lock on a local file or folder (flock(2)). The system releases the lock when the
// process ends, however it ends; a forked child that goes on holds it as well. For one thread at a
// time.
class PathLock {
  public:
    enum class Failure : std::uint8_t {
        kHeld,        // locked by this process or another
        kImpossible,  // the path is absent or not local, or the system has no such locks
    };

    // Locks a path without waiting; nullopt with the reason in `failure`.
    static std::optional<PathLock> Try(const std::string& path, Failure& failure);

    // Locks a file that this process has open, through a descriptor of its own: the lock outlives
    // the open file. Several Share() locks of a file may be held at a time, but none beside a lock
    // of Try(). kHeld also if the file has lost its name.
    static std::optional<PathLock> Share(int descriptor, Failure& failure);

    ~PathLock() { Release(); }
    PathLock(const PathLock&) = delete;
    PathLock& operator=(const PathLock&) = delete;
    PathLock(PathLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    PathLock& operator=(PathLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    // True if `path` still leads to what is locked.
    bool IsOf(const std::string& path) const;

  private:
    explicit PathLock(int descriptor) : descriptor_(descriptor) {}
    void Release();

    int descriptor_;
};

// Returns an unused name beside `path`: "PATH.<32 hex digits>.partial", as zarr-python names such
// files. The first eight digits mark files of this library.
std::string PartialName(const std::string& path);

// A local file that is written under a PartialName() and then replaces another one. Destroying it
// before that removes what was written. AbandonedFiles leave the file alone in between. All
// functions return 0 or an errno.
class PartialFile {
  public:
    explicit PartialFile(const std::string& path) : path_(path), staging_(PartialName(path)) {}
    ~PartialFile();
    PartialFile(const PartialFile&) = delete;
    PartialFile& operator=(const PartialFile&) = delete;

    // Creates the file in a folder that exists.
    int Create();
    // True if another process took the new file for an abandoned one: begin anew.
    bool is_lost() const { return is_lost_; }
    // Writes all contents, `parts` one after another, and closes the file.
    int Write(const std::vector<ByteSpan>& parts);
    // Renames the file to `path`, whose file it replaces.
    int TakePlace();

  private:
    const std::string path_;
    std::string staging_;  // empty once there is nothing to remove
    int descriptor_ = -1;
    std::optional<PathLock> lock_;
    bool is_lost_ = false;
};

// Removes files of killed writers. Thread-safe.
class AbandonedFiles {
  public:
    // Removes partial files of this library that no process holds, from the folder of the file at
    // `path`. Lists each folder once.
    void RemoveBeside(const std::string& path);

  private:
    std::mutex mutex_;
    std::set<std::string> folders_;  // already listed
};

}  // namespace zarr
