// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "core/base/fork.h"

namespace zarr {

// Work that one thread is at, and that others wait for the end of. To be shared by shared_ptr, and
// found under a Mutex: in a forked child, who finds one of the parent's takes its place instead of
// waiting, as nobody will end it. (Not destroyed there either, as the copies of the parent's
// threads are never dropped: a condition that was waited for cannot be.) Thread-safe.
class Turn {
  public:
    bool IsOfThisProcess() const { return generation_ == ForkGeneration(); }

    // Not under a Mutex.
    void Wait() {
        std::unique_lock<std::mutex> lock(mutex_);
        ended_.wait(lock, [this] { return has_ended_; });
    }
    void End() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            has_ended_ = true;
        }
        ended_.notify_all();
    }

  private:
    const std::uint64_t generation_ = ForkGeneration();
    std::mutex mutex_;
    std::condition_variable ended_;
    bool has_ended_ = false;
};

}  // namespace zarr
