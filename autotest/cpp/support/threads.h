// SPDX-License-Identifier: MIT
// Helpers for tests with threads: a barrier, and a watchdog that ends a test that hangs.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace zarr::test {

// Maximum wait for an event that must happen. Even on a busy machine, it happens much earlier.
constexpr std::chrono::seconds kMaxWait{60};

// Lets a fixed number of threads wait until all of them have arrived. Usable once.
class Barrier {
  public:
    explicit Barrier(std::size_t threads) : missing_(threads) {}

    // Returns false if not all threads arrive within kMaxWait.
    bool Meet() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (missing_ != 0) --missing_;
        if (missing_ == 0) complete_.notify_all();
        return complete_.wait_for(lock, kMaxWait, [this] { return missing_ == 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable complete_;
    std::size_t missing_;
};

// Ends the program with a message if this object lives longer than `patience`. Guards tests that
// might hang.
class Watchdog {
  public:
    explicit Watchdog(std::string what, std::chrono::seconds patience = 2 * kMaxWait)
        : what_(std::move(what)), patience_(patience), thread_([this] { Watch(); }) {}
    ~Watchdog() {
        {
            const std::lock_guard<std::mutex> lock(mutex_);
            is_over_ = true;
        }
        over_.notify_all();
        thread_.join();
    }
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

  private:
    void Watch() {
        std::unique_lock<std::mutex> lock(mutex_);
        if (over_.wait_for(lock, patience_, [this] { return is_over_; })) return;
        std::fprintf(stderr, "%s: does not end\n", what_.c_str());
        std::abort();
    }

    const std::string what_;
    const std::chrono::seconds patience_;
    std::mutex mutex_;
    std::condition_variable over_;
    bool is_over_ = false;
    std::thread thread_;
};

// Runs work(0) to `work(count - 1)` at the same time, each in its own thread. `work` returns "" or
// a description of a failure. If the threads hang, the program ends.
inline void InThreads(std::size_t count, const std::function<std::string(std::size_t)>& work) {
    const Watchdog watchdog("threads");
    Barrier barrier(count);
    std::vector<std::string> problems(count);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < count; ++t)
        threads.emplace_back(
            [&, t] { problems[t] = barrier.Meet() ? work(t) : "the others did not come"; });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

}  // namespace zarr::test
