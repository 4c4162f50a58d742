// SPDX-License-Identifier: MIT
// What fork() leaves in the child: the memory as it was, and of all threads only the one that
// forked. A lock that another thread held stays locked for ever there, what it guards is half
// changed, and work that another thread was at is never done. So
//   - what is guarded by a Mutex or SharedMutex is free and whole in the child;
//   - slow work that others wait for is a Turn (turn.h), which the child does not wait for, and
//     what is made once, slowly, a Lazy (lazy.h), which the child makes anew;
//   - what only one process may use is a ProcessLocal (process_local.h), which the child has not.
// Other locks are for what a child does not reach: the stack of a call, or what is ProcessLocal.
// Objects of the whole process are made at load, not when a function first runs, which takes a lock
// of the compiler's; and they are never destroyed, as other threads may go on while the process
// ends.
#pragma once

#include <cstdint>
#include <mutex>
#include <shared_mutex>

namespace zarr {

// How many forks lie between this process and the one that loaded this code: another number than in
// the process that this one was forked from. Always 0 on systems without fork(). Thread-safe.
std::uint64_t ForkGeneration();

// A section that fork() waits for while any thread is in it, and that none enters while the process
// forks. Sections nest. Thread-safe.
void EnterForkSafeSection();
void LeaveForkSafeSection();

// A mutex that no other thread holds in a forked child, for work that is short: whoever holds one
// calls nobody back, reads and writes no files, and waits for nothing but other mutexes like it, as
// a thread that forks waits for all of them (Python's with its interpreter lock held). Where one is
// held for longer than a few seconds the fork goes on without it.
template <class M>
class ForkSafe {
  public:
    constexpr ForkSafe() = default;
    ~ForkSafe() = default;
    ForkSafe(const ForkSafe&) = delete;
    ForkSafe& operator=(const ForkSafe&) = delete;

    // As the standard library's locks want them.
    void lock() {
        EnterForkSafeSection();
        mutex_.lock();
    }
    void unlock() {
        mutex_.unlock();
        LeaveForkSafeSection();
    }
    void lock_shared() {
        EnterForkSafeSection();
        mutex_.lock_shared();
    }
    void unlock_shared() {
        mutex_.unlock_shared();
        LeaveForkSafeSection();
    }

  private:
    M mutex_;
};

using Mutex = ForkSafe<std::mutex>;
using SharedMutex = ForkSafe<std::shared_mutex>;

}  // namespace zarr
