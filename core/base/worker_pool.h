// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace zarr {

// The process's threads for short work. They start when they are first needed and end when there
// was nothing to do for a second; a forked child starts its own. Thread-safe.
class WorkerPool {
  public:
    static WorkerPool& Instance();

    // Calls `job` on the calling thread and, as soon as they are there, on up to `helpers` others
    // at the same time. Returns when all calls that began have ended; one that no thread has taken
    // up by the time that the caller's own has ended is not made. `job` must not throw.
    void Run(std::size_t helpers, const std::function<void()>& job);

    // Ends the threads that have nothing to do, and returns when they are gone with all that they
    // keep for themselves; others are started again when they are needed.
    void EndIdle();

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

  private:
    constexpr WorkerPool() = default;
    ~WorkerPool() = default;
};

}  // namespace zarr
