// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace zarr_driver {

// An advisory lock on a file or folder of the local file system (flock(2)). The system releases it
// when the process ends, however it ends; a forked child that goes on holds it as well. For one
// thread at a time.
class PathLock {
  public:
    enum class Failure : std::uint8_t {
        kHeld,        // somebody else holds it, in this process or another
        kImpossible,  // no such thing can be locked here: it is gone, is no local one, or the
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

}  // namespace zarr_driver
