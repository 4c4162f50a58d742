// SPDX-License-Identifier: MIT
// The only file that knows how a process forks.
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

// The pool of the new generation is another one, which begins without threads.
void AfterForkInChild() { ++generation; }

// At load, before there is a thread. The system forgets it where the code is unloaded.
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
