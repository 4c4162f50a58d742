// SPDX-License-Identifier: MIT
// Lock that a writer holds while it changes the documents of a store.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "core/base/status.h"

namespace zarr {

class ProcessLock;

// The store that a StoreLock locks.
struct LockTarget {
    // Local folder or file of the store; links are followed. May be empty.
    std::string path;
    std::string identity;  // Store::Identity(), which names the store if `path` is empty
    // Returns the lock against other processes if `path` is empty; ProcessLock::Try() may return
    // kUnsupported. nullptr: no other process can change the store, or another lock excludes it.
    std::function<std::unique_ptr<ProcessLock>()> open = nullptr;
};

// How a StoreLock excludes other processes.
enum class LockMeans : std::uint8_t {
    kAuto,      // kFlock, or kLockFile where flock(2) fails or reaches this machine only
    kFlock,     // flock(2) on the store's folder or file: nothing is written
    kLockFile,  // file "STORE.lock" beside the store; inside the store if its parent is read-only
};

struct LockWait {
    std::chrono::milliseconds limit = std::chrono::seconds(60);
    LockMeans means = LockMeans::kAuto;
    // True if the store must not change unless the lock excludes other processes. Otherwise only
    // threads of this process exclude each other where there is no such lock.
    bool is_required = false;
};

// Exclusive lock of a store, over the threads and processes that use this class. A thread that
// holds the lock may take it again. The first to wait is the next to get a lock by flock(2).
//
// If a process is killed, the system releases its flock(2). A lock file is taken over if its owner
// has ended on this machine, or if another machine has not touched the file for five minutes. A
// forked child does not hold the locks of its parent. One object is not thread-safe.
class StoreLock {
  public:
    StoreLock() = default;  // holds no lock
    ~StoreLock() { Release(); }
    StoreLock(const StoreLock&) = delete;
    StoreLock& operator=(const StoreLock&) = delete;
    StoreLock(StoreLock&& other) noexcept = default;
    StoreLock& operator=(StoreLock&& other) noexcept {
        if (this != &other) {
            Release();
            state_ = std::move(other.state_);
        }
        return *this;
    }

    // Waits for the lock and takes it. The store may be replaced while this function waits; the
    // lock is then that of the new store. Returns kIo, with a message that says who holds the
    // lock, if `wait.limit` ends first. Returns kNotFound if the store does not exist, and
    // kUnsupported if LockWait::is_required cannot be met.
    static Result<StoreLock> Take(const LockTarget& target, const LockWait& wait = {});

    bool is_held() const { return state_ != nullptr; }
    // True if the calling thread holds the lock of `target`.
    static bool IsHeldByThisThread(const LockTarget& target);

    void Release();

  private:
    class State;
    struct States;
    explicit StoreLock(std::shared_ptr<State> state) : state_(std::move(state)) {}
    static std::shared_ptr<State> StateOf(const std::string& key);

    static std::atomic<States*> states_;
    std::shared_ptr<State> state_;
};

}  // namespace zarr
