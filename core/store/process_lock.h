// SPDX-License-Identifier: MIT
// The means by which a StoreLock excludes other processes.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/store/store_lock.h"

namespace zarr {

// Lock of a store against other processes. The destructor releases a lock that is
// held, but not in a forked child. Not thread-safe.
class ProcessLock {
  public:
    ProcessLock() = default;
    virtual ~ProcessLock() = default;
    ProcessLock(const ProcessLock&) = delete;
    ProcessLock& operator=(const ProcessLock&) = delete;

    // Takes the lock without waiting. Returns false if another process holds the lock, or has
    // waited for longer. A caller that calls Try() again keeps its place among those who wait.
    // Returns kUnsupported if the store cannot be locked.
    virtual Result<bool> Try() = 0;
    // Returns who holds the lock, for messages; empty if that is unknown.
    virtual std::string Holder() const = 0;
};

// Returns the lock of `path`; nullptr if the system has neither of `means`. Returns kNotFound if
// `path` does not exist.
Result<std::unique_ptr<ProcessLock>> OpenProcessLock(const std::string& path, LockMeans means);

// Returns a text that identifies the file or folder at `path` on this machine, even if it has
// several paths. Returns nullopt if `path` does not exist.
std::optional<std::string> FileIdentity(const std::string& path);

}  // namespace zarr
