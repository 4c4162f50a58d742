// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace zarr {

// Lets a number of threads through at a time.
class Gate {
  public:
    explicit Gate(std::size_t width) : free_(width) {}

    // A place inside; waits for one.
    class Pass {
      public:
        explicit Pass(Gate& gate) : gate_(gate) {
            std::unique_lock<std::mutex> lock(gate_.mutex_);
            gate_.left_.wait(lock, [this] { return gate_.free_ > 0; });
            --gate_.free_;
        }
        ~Pass() {
            {
                const std::lock_guard<std::mutex> lock(gate_.mutex_);
                ++gate_.free_;
            }
            gate_.left_.notify_one();
        }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

      private:
        Gate& gate_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t free_;
};

}  // namespace zarr
