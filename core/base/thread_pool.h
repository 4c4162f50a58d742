// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>

#include "core/base/status.h"

namespace zarr {

// The process's pool of threads for short work. Threads start on demand and end after one second
// without work. A forked child starts its own threads. Work runs under the ThreadContext of the
// thread that submits the work. Thread-safe.
class WorkerPool {
  public:
    static WorkerPool& Instance();

    // Calls `job` on the calling thread and on up to `helpers` pool threads at once. When the
    // caller's own call ends, helpers that have not started are cancelled. Returns when all started
    // calls have ended, and then throws the first exception that one of them has thrown.
    void Run(std::size_t helpers, const std::function<void()>& job);

    // Calls `job` once on a pool thread and returns at once. Returns false, without calling `job`,
    // if no thread is available. The caller must keep everything that `job` uses alive until `job`
    // ends; exceptions of `job` are ignored. A forked child does not run its parent's queued jobs.
    bool Start(std::function<void()> job);

    // Ends the idle pool threads. Returns when they have ended and freed their thread-local
    // objects. Later work starts new threads.
    void EndIdle();

    // Keep pool threads from starting jobs between Pause() and Resume(), while the process forks.
    // Pause() returns when no job runs, or after tuning::kMaxForkWait (2 s). Call Pause() and
    // Resume() on one thread.
    void Pause() noexcept;
    void Resume() noexcept;

    WorkerPool(const WorkerPool&) = delete;
    WorkerPool& operator=(const WorkerPool&) = delete;

  private:
    constexpr WorkerPool() = default;
    ~WorkerPool() = default;
};

// Calls task(0) ... task(count - 1) on the calling thread and on up to `max_threads - 1` pool
// threads, several at once. `task` must be safe to call from several threads with different
// indices. Pool threads may start late or never. After a failure no further task starts. Returns
// the failure with the lowest index among the tasks that ran. An exception is a failure, too.
Status ParallelFor(std::size_t count, std::size_t max_threads,
                   const std::function<Status(std::size_t)>& task);

// Sets the calling thread's budget while the object exists. The budget is the number of threads,
// including the caller, that called functions may use for the caller's work.
class ThreadBudget {
  public:
    explicit ThreadBudget(std::size_t threads);
    ~ThreadBudget();
    ThreadBudget(const ThreadBudget&) = delete;
    ThreadBudget& operator=(const ThreadBudget&) = delete;

    // Returns the calling thread's budget; 1 if no ThreadBudget exists on the thread.
    static std::size_t OfThisThread();

  private:
    const std::size_t before_;
};

// Limits how many threads execute a section of code at the same time.
class Semaphore {
  public:
    explicit Semaphore(std::size_t width) : free_(width) {}

    // Holds one place of the semaphore while the Pass exists. The constructor waits for a free
    // place.
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

// Limits the memory in bytes that the work of all threads uses together. Work that needs more than
// the limit runs alone.
class ByteGate {
  public:
    explicit ByteGate(std::size_t bytes) : width_(bytes) {}

    // Reserves `bytes` of the limit while the Pass exists. The constructor waits until that many
    // bytes are free.
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
