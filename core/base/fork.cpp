// SPDX-License-Identifier: MIT
// The only file that knows how a process forks.
#include "core/base/fork.h"

#if defined(__unix__) || defined(__APPLE__)

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>

namespace zarr {

namespace {

using Clock = std::chrono::steady_clock;

// Longer than any work under a Mutex takes on a busy machine. What takes longer waits for what the
// forking thread holds itself.
constexpr std::chrono::seconds kPatience{5};
constexpr std::chrono::microseconds kPause{20};

// How many threads are in a section. Threads count in lanes of their own, as far as there are any,
// so that they do not wait for each other's cache lines.
constexpr std::size_t kLanes = 64;
struct alignas(64) Lane {
    std::atomic<std::uint32_t> inside{0};
};

struct ThreadPlace {
    std::size_t lane = kLanes;  // not known yet
    std::uint32_t depth = 0;    // of sections
};

// All of it without constructors and destructors, so that it is there before and after everything.
Lane lanes[kLanes];
std::atomic<std::size_t> next_lane{0};
std::atomic<bool> is_forking{false};
std::atomic<std::uint64_t> generation{0};
std::mutex one_fork_at_a_time;
thread_local ThreadPlace place;

std::atomic<std::uint32_t>& Inside() {
    if (place.lane == kLanes) place.lane = next_lane.fetch_add(1) % kLanes;
    return lanes[place.lane].inside;
}

bool AreOthersInside() {
    std::uint32_t inside = 0;
    for (const Lane& lane : lanes) inside += lane.inside.load();
    return inside > (place.depth != 0 ? 1U : 0U);
}

void BeforeFork() {
    one_fork_at_a_time.lock();
    is_forking = true;
    const auto deadline = Clock::now() + kPatience;
    while (AreOthersInside() && Clock::now() < deadline) std::this_thread::sleep_for(kPause);
}

void AfterForkInParent() {
    is_forking = false;
    one_fork_at_a_time.unlock();
}

void AfterForkInChild() {
    for (Lane& lane : lanes) lane.inside = 0;  // of those that were not waited for
    if (place.depth != 0) Inside() = 1;
    ++generation;
    is_forking = false;
    one_fork_at_a_time.unlock();
}

// At load: before any thread can hold anything. Where the code is unloaded, the system forgets it.
[[maybe_unused]] const int is_registered =
    pthread_atfork(BeforeFork, AfterForkInParent, AfterForkInChild);

}  // namespace

std::uint64_t ForkGeneration() { return generation.load(std::memory_order_relaxed); }

void EnterForkSafeSection() {
    if (place.depth++ != 0) return;
    std::atomic<std::uint32_t>& inside = Inside();
    // Each side shows itself before it looks for the other.
    for (;;) {
        ++inside;
        if (!is_forking) return;
        --inside;
        while (is_forking) std::this_thread::sleep_for(kPause);
    }
}

void LeaveForkSafeSection() {
    if (--place.depth == 0) --Inside();
}

}  // namespace zarr

#else

namespace zarr {

std::uint64_t ForkGeneration() { return 0; }
void EnterForkSafeSection() {}
void LeaveForkSafeSection() {}

}  // namespace zarr

#endif
