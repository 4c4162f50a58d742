// SPDX-License-Identifier: MIT
// Handlers that run before and after fork(). No other file uses pthread_atfork().
#include "core/base/fork.h"

#include "core/base/thread_pool.h"

#if defined(__unix__) || defined(__APPLE__)

#include <pthread.h>

#include <atomic>

namespace zarr {

namespace {

std::atomic<std::uint64_t> generation{0};

void BeforeFork() { WorkerPool::Instance().Pause(); }

void AfterForkInParent() { WorkerPool::Instance().Resume(); }

// Increments the generation, so that the child starts a new, empty worker pool.
void AfterForkInChild() { ++generation; }

// Registers the fork() handlers when the library is loaded, before any thread starts. The system
// drops the handlers when the library is unloaded.
[[maybe_unused]] const int is_registered =
    pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);

}  // namespace

std::uint64_t ForkGeneration() { return generation.load(std::memory_order_relaxed); }

}  // namespace zarr

#else

namespace zarr {

std::uint64_t ForkGeneration() { return 0; }

}  // namespace zarr

#endif
