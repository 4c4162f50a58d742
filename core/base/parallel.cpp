// SPDX-License-Identifier: MIT
#include "core/base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <new>

#include "core/base/worker_pool.h"

namespace zarr {

namespace {

// What the workers of one call share.
class Work {
  public:
    Work(std::size_t count, const std::function<Status(std::size_t)>& task)
        : count_(count), task_(task) {}

    void Run() {
        while (!failed_.load(std::memory_order_relaxed)) {
            const std::size_t index = next_.fetch_add(1, std::memory_order_relaxed);
            if (index >= count_) return;
            Status status = RunOne(index);
            if (!status.ok()) Fail(index, std::move(status));
        }
    }

    const Status& status() const { return status_; }

  private:
    Status RunOne(std::size_t index) {
        try {
            return task_(index);
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        }
    }

    void Fail(std::size_t index, Status status) {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!failed_.load(std::memory_order_relaxed) || index < failed_index_) {
            status_ = std::move(status);
            failed_index_ = index;
        }
        failed_.store(true, std::memory_order_relaxed);
    }

    const std::size_t count_;
    const std::function<Status(std::size_t)>& task_;
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::size_t failed_index_ = 0;
    Status status_;
};

}  // namespace

Status ParallelFor(std::size_t count, std::size_t max_threads,
                   const std::function<Status(std::size_t)>& task) {
    Work work(count, task);
    const std::size_t threads = std::min(count, std::max<std::size_t>(max_threads, 1));
    if (threads <= 1)
        work.Run();
    else
        WorkerPool::Instance().Run(threads - 1, [&work] { work.Run(); });
    return work.status();
}

}  // namespace zarr
