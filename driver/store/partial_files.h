// SPDX-License-Identifier: MIT
// Files under which values are written before they take their place, and what is left of them where
// a writer was killed.
#pragma once

#include <cpl_vsi.h>

#include <cstdint>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace zarr_driver {

// An advisory lock on a file or folder of the local file system (flock(2)). The system releases it
// when the process ends, however it ends; a forked child that goes on holds it as well. For one
// thread at a time.
class PathLock {
  public:
    enum class Failure : std::uint8_t {
        kHeld,        // it is held, in this process or another
        kImpossible,  // no such thing can be locked here: it is gone, is not a local one, or the
                      // system has no such locks
    };

    // Does not wait. `failure` says why there is no lock.
    static std::optional<PathLock> Try(const std::string& path, Failure& failure);

    // The same of a file that this process has open, by a descriptor of its own, so that the lock
    // outlives that one. Many may hold such a lock at a time, but not beside one of Try(). kHeld
    // also where the file has lost its name meanwhile.
    static std::optional<PathLock> Share(int descriptor, Failure& failure);

    ~PathLock() { Release(); }
    PathLock(const PathLock&) = delete;
    PathLock& operator=(const PathLock&) = delete;
    PathLock(PathLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
    PathLock& operator=(PathLock&& other) noexcept {
        std::swap(descriptor_, other.descriptor_);
        return *this;
    }

    // True where what is locked is still what lies at `path`.
    bool IsOf(const std::string& path) const;

  private:
    explicit PathLock(int descriptor) : descriptor_(descriptor) {}
    void Release();

    int descriptor_;
};

// A name beside `path` that is not in use: "PATH.<32 hex digits>.partial", as zarr-python has
// them. The first eight digits tell those of this driver.
std::string PartialName(const std::string& path);

// A file that is being written under a PartialName().
class PartialFile {
  public:
    explicit PartialFile(const std::string& path) : path_(PartialName(path)) {}

    const std::string& path() const { return path_; }
    // Holds the file, which is open, until this goes out of scope: AbandonedFiles leave it alone.
    // Where the file system has no locks they leave all files alone.
    void Hold(VSILFILE* file);
    // True where one of them was quicker: there is no such file any more.
    bool is_lost() const { return is_lost_; }

  private:
    const std::string path_;
    std::optional<PathLock> lock_;
    bool is_lost_ = false;
};

// Removes the files of killed writers. Thread-safe.
class AbandonedFiles {
  public:
    // Those in the folder of the file at `path`, of this driver, that no process holds; of each
    // folder once. To look takes one listing of the folder.
    void RemoveBeside(const std::string& path);

  private:
    std::mutex mutex_;
    std::set<std::string> folders_;  // that were looked through
};

}  // namespace zarr_driver
