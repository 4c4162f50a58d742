// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"

namespace zarr {

// Locks, one for each key of a store, that all writers of the key use. May be
// called from several threads.
class Synchronizer {
  public:
    // A lock that is held until this is destroyed, by any thread.
    class Lock {
      public:
        Lock() = default;
        virtual ~Lock() = default;
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
    };

    virtual ~Synchronizer() = default;

    // Waits while another process or thread holds the key's lock. A thread
    // must not ask for a second lock while it holds one. Errors start with the name of the lock.
    virtual Result<std::unique_ptr<Lock>> Acquire(const std::string& key) = 0;
    // The same, but nullptr where the key's lock was never used.
    virtual Result<std::unique_ptr<Lock>> AcquireIfKnown(const std::string& key) = 0;
};

// The lock of a key where there are any locks, nullptr where `locks` is nullptr.
Result<std::unique_ptr<Synchronizer::Lock>> AcquireIfAny(const std::shared_ptr<Synchronizer>& locks,
                                                         const std::string& key);

// The locks of zarr-python's ProcessSynchronizer: an empty file for each key, with the key's path
// below `folder`, which the holder of the lock has locked by fcntl(). They are made when needed and
// never removed. Locks are shared by all processes that name the same folder, and, as one object,
// by all of this one. Errors name the folder; kUnsupported where the system has no such locks.
Result<std::shared_ptr<Synchronizer>> OpenProcessSynchronizer(const std::string& folder);

}  // namespace zarr
