// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include "core/base/status.h"

namespace zarr {

// The process's threads for short work. They start when they are first needed and end when there
// was nothing to do for a second; a forked child starts its own. They work in the ThreadContext of
// the thread that gives them the work. Thread-safe.
class WorkerPool {
  public:
    static WorkerPool& Instance();

    // Calls `job` on the calling thread and, as soon as they are there, on up to `helpers` others
    // at the same time. Returns when all calls that began have ended; one that no thread has taken
    // up by the time that the caller's own has ended is not made. `job` must not throw.
    void Run(std::size_t helpers, const std::function<void()>& job);

    // Calls `job` once on another thread, and returns at once. False where there is no thread for
    // it, and it is not called; in a child that is forked before its turn it is not either. `job`
    // must not throw, and who gives it waits for its end before what it uses is gone.
    bool Start(std::function<void()> job);

    // Ends the threads that have nothing to do, and returns when they are gone with all that they
    // keep for themselves; others are started again when they are needed.
    void EndIdle();

    // For fork(): from Pause() to Resume() no thread of the pool begins anything. Pause() returns
    // when none is at work, or after two seconds. Both on the same thread.
    void Pause() noexcept;
    void Resume() noexcept;

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

  private:
    constexpr WorkerPool() = default;
    ~WorkerPool() = default;
};

// Calls task(0) ... task(count - 1), on the calling thread and at most `max_threads - 1` others of
// the WorkerPool, which may begin later than the calling thread or never. After a failure no
// further task starts; the failure of the lowest index among those that ran is returned.
// `task` must be safe to call from several threads at once with different indices.
Status ParallelFor(std::size_t count, std::size_t max_threads,
                   const std::function<Status(std::size_t)>& task);

// While it lives, the calling thread's work may be shared out to up to `threads` threads, itself
// among them, by what is called far below: a store that reads a large file, say.
class ThreadBudget {
  public:
    explicit ThreadBudget(std::size_t threads);
    ~ThreadBudget();
    ThreadBudget(const ThreadBudget&) = delete;
    ThreadBudget& operator=(const ThreadBudget&) = delete;

    // The calling thread's; 1 where there is none.
    static std::size_t OfThisThread();

  private:
    const std::size_t before_;
};

// Lets a number of threads through at a time.
class Semaphore {
  public:
    explicit Semaphore(std::size_t width) : free_(width) {}

    // A place inside; waits for one.
    class Pass {
      public:
        explicit Pass(Semaphore& gate) : gate_(gate) {
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
        Semaphore& gate_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable left_;
    std::size_t free_;
};

// Lets work through that holds at most so many bytes together; what needs more goes alone.
class ByteGate {
  public:
    explicit ByteGate(std::size_t bytes) : width_(bytes) {}

    // A place inside; waits for one.
    class Pass {
      public:
        Pass(ByteGate& gate, std::size_t bytes) : gate_(gate), bytes_(bytes) {
            std::unique_lock<std::mutex> lock(gate_.mutex_);
            gate_.left_.wait(lock, [&] {
                return gate_.held_ == 0 ||
                       (gate_.held_ <= gate_.width_ && bytes_ <= gate_.width_ - gate_.held_);
            });
            gate_.held_ += bytes_;
        }
        ~Pass() {
            {
                const std::lock_guard<std::mutex> lock(gate_.mutex_);
                gate_.held_ -= bytes_;
            }
            gate_.left_.notify_all();
        }
        Pass(const Pass&) = delete;
        Pass& operator=(const Pass&) = delete;

      private:
        ByteGate& gate_;
        const std::size_t bytes_;
    };

  private:
    std::mutex mutex_;
    std::condition_variable left_;
    const std::size_t width_;
    std::size_t held_ = 0;
};

}  // namespace zarr
