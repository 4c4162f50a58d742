// SPDX-License-Identifier: MIT
// Handlers that run before and after fork(). No other file uses pthread_atfork().
#include "core/base/fork.h"

#include "core/base/fork_closed.h"
#include "core/base/thread_pool.h"

#if defined(__unix__) || defined(__APPLE__)

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace zarr {

namespace {

std::atomic<std::uint64_t> generation{0};

// Descriptors plus 1 that a child closes; 0 is a free place. The child must not wait for a mutex
// that another thread holds during fork(), so there is none.
std::array<std::atomic<int>, 256> closed_in_children{};

void CloseInherited() {
    for (std::atomic<int>& place : closed_in_children)
        if (const int number = place.exchange(0); number != 0) close(number - 1);
}

void BeforeFork() { WorkerPool::Instance().Pause(); }

void AfterForkInParent() { WorkerPool::Instance().Resume(); }

// Increments the generation, so that the child starts a new, empty worker pool.
void AfterForkInChild() {
    ++generation;
    CloseInherited();
}

// Registers the fork() handlers when the library is loaded, before any thread starts. The system
// drops the handlers when the library is unloaded.
[[maybe_unused]] const int is_registered =
    pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);

}  // namespace

std::uint64_t ForkGeneration() { return generation.load(std::memory_order_relaxed); }

void CloseInChildren(int descriptor) {
    for (std::atomic<int>& place : closed_in_children)
        if (int free = 0; place.compare_exchange_strong(free, descriptor + 1)) return;
}

void KeepInChildren(int descriptor) {
    for (std::atomic<int>& place : closed_in_children)
        if (int number = descriptor + 1; place.compare_exchange_strong(number, 0)) return;
}

}  // namespace zarr

#else

namespace zarr {

std::uint64_t ForkGeneration() { return 0; }

void CloseInChildren(int /*descriptor*/) {}
void KeepInChildren(int /*descriptor*/) {}

}  // namespace zarr

#endif
