// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/base/status.h"

namespace zarr {

// Locks for the keys of a store, one lock per key, used by all writers. Thread-safe.
class Synchronizer {
  public:
    // A lock that is held. Destroying the object, on any thread, releases the lock.
    class Lock {
      public:
        Lock() = default;
        virtual ~Lock() = default;
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;
    };

    virtual ~Synchronizer() = default;

    // Waits until no other process or thread holds the key's lock, then takes the lock. A thread
    // must not hold two locks. Error messages start with the name of the lock.
    virtual Result<std::unique_ptr<Lock>> Acquire(const std::string& key) = 0;
    // Takes the lock of `key` like Acquire(), but returns nullptr if no process has ever used that
    // lock.
    virtual Result<std::unique_ptr<Lock>> AcquireIfKnown(const std::string& key) = 0;
};

// Takes the lock of `key` from `locks`; returns nullptr if `locks` is nullptr.
Result<std::unique_ptr<Synchronizer::Lock>> AcquireIfAny(const std::shared_ptr<Synchronizer>& locks,
                                                         const std::string& key);

// Opens the locks of zarr-python's ProcessSynchronizer. Each lock is an empty file at the key's
// path below `folder`, locked with fcntl(). Lock files are created on demand and never removed. All
// processes that name one folder share the locks.
//
// Within a process all callers share one object per folder. Error messages name the folder. Fails
// with kUnsupported if the system lacks fcntl() locks.
Result<std::shared_ptr<Synchronizer>> OpenProcessSynchronizer(const std::string& folder);

}  // namespace zarr
