// SPDX-License-Identifier: MIT
#include "core/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/fork.h"
#include "core/base/thread_context.h"
#include "core/base/tuning.h"

namespace zarr {

namespace {

// Work that was passed to WorkerPool::Run() or Start(). Run() keeps its job on the caller's stack
// until no thread runs the job. A job of Start() is deleted by the worker thread that ran the job.
struct Job {
    const std::function<void()> function;
    const bool is_detached = false;  // true for a job of Start()
    std::size_t running = 0;         // number of pool threads that run the job now
    std::condition_variable ended;
};

// Shared state of the worker threads of one process.
struct Workers {
    std::mutex mutex;
    std::condition_variable wanted;
    std::condition_variable left;
    // Queued jobs, with an entry for each pool thread that a job still wants.
    std::deque<Job*> queue;
    std::size_t idle = 0;
    std::size_t starting = 0;          // new threads that have not reached the queue yet
    std::size_t waiting_for_idle = 0;  // threads that wait in EndIdle()
    std::size_t working = 0;           // threads in Work(), or about to enter Work()
    bool is_closing = false;
    std::vector<std::thread> threads;
    std::vector<std::thread::id> ended;  // ids of ended threads, which must be joined

    const std::uint64_t generation = ForkGeneration();

    void Work();
    bool FillLocked();
    void Start(Job& job, std::size_t helpers);
    bool StartDetached(std::unique_ptr<Job> job);
    void Stop(Job& job);
    std::vector<std::thread> TakeEndedLocked();
    void EndIdle();
    void Close();
};

void Workers::Work() {
    std::unique_lock<std::mutex> lock(mutex);
    --starting;
    for (;;) {
        ++idle;
        const bool is_wanted = wanted.wait_for(lock, tuning::kIdleThread, [this] {
            return is_closing || waiting_for_idle != 0 || !queue.empty();
        });
        --idle;
        if (!is_wanted || queue.empty()) break;
        Job& job = *queue.front();
        queue.pop_front();
        ++job.running;
        lock.unlock();
        NoThrow(job.function);
        const bool is_detached = job.is_detached;
        if (is_detached) delete &job;
        lock.lock();
        if (!is_detached && --job.running == 0) job.ended.notify_all();
    }
    if (!is_closing) ended.push_back(std::this_thread::get_id());
    --working;
    if (waiting_for_idle != 0) left.notify_all();
}

std::vector<std::thread> Workers::TakeEndedLocked() {
    std::vector<std::thread> taken;
    // Memory is reserved first, because a failure to allocate after a thread has been moved out of
    // `threads` would lose the thread.
    taken.reserve(ended.size());
    for (const std::thread::id id : ended) {
        const auto found =
            std::find_if(threads.begin(), threads.end(),
                         [id](const std::thread& thread) { return thread.get_id() == id; });
        taken.push_back(std::move(*found));
        threads.erase(found);
    }
    ended.clear();
    return taken;
}

// Starts threads until there is one per queued job. Returns false if no thread runs and none can
// start.
bool Workers::FillLocked() {
    try {
        while (queue.size() > idle + starting) {
            ended.reserve(threads.size() + 1);
            threads.emplace_back([this] { Work(); });
            ++starting;
            ++working;
        }
    } catch (const std::system_error&) {
        // The system has no more threads: the existing threads do all the work.
    } catch (const std::bad_alloc&) {
        // Memory has run out: the existing threads do all the work.
    }
    return working != 0;
}

void Workers::Start(Job& job, std::size_t helpers) {
    std::vector<std::thread> gone;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (is_closing) return;
        gone = TakeEndedLocked();
        try {
            queue.insert(queue.end(), helpers, &job);
        } catch (const std::bad_alloc&) {
            // Memory has run out: without a queue entry no helper joins, and the caller does all
            // the work.
        }
        static_cast<void>(FillLocked());
    }
    if (helpers == 1)
        wanted.notify_one();
    else
        wanted.notify_all();
    for (std::thread& thread : gone) thread.join();
}

bool Workers::StartDetached(std::unique_ptr<Job> job) {
    std::vector<std::thread> gone;
    {
        const std::lock_guard<std::mutex> lock(mutex);
        if (is_closing) return false;
        gone = TakeEndedLocked();
        queue.push_back(job.get());
        if (FillLocked())
            static_cast<void>(job.release());  // Work() deletes the job after it has run
        else
            queue.pop_back();
    }
    wanted.notify_one();
    for (std::thread& thread : gone) thread.join();
    return job == nullptr;
}

void Workers::Stop(Job& job) {
    std::unique_lock<std::mutex> lock(mutex);
    queue.erase(std::remove(queue.begin(), queue.end(), &job), queue.end());
    job.ended.wait(lock, [&job] { return job.running == 0; });
}

void Workers::EndIdle() {
    std::vector<std::thread> gone;
    {
        std::unique_lock<std::mutex> lock(mutex);
        if (is_closing) return;
        ++waiting_for_idle;
        wanted.notify_all();
        left.wait(lock, [this] { return idle == 0 && starting == 0; });
        --waiting_for_idle;
        gone = TakeEndedLocked();
    }
    for (std::thread& thread : gone) thread.join();
}

void Workers::Close() {
    {
        const std::lock_guard<std::mutex> lock(mutex);
        is_closing = true;
        wanted.notify_all();
    }
    for (std::thread& thread : threads) thread.join();
    threads.clear();
}

// Workers whose mutex Pause() has locked on this thread; Resume() unlocks the mutex.
thread_local Workers* paused = nullptr;

// Workers of this process. Never destroyed, because code may use the pool until the process ends. A
// forked child creates a pool of its own, because the parent's threads do not exist in the child.
std::atomic<Workers*> current{nullptr};

// Returns this process's workers; nullptr if none have been created since fork().
Workers* KnownWorkers() {
    Workers* const known = current.load();
    return known != nullptr && known->generation == ForkGeneration() ? known : nullptr;
}

Workers& WorkersOfProcess() {
    Workers* known = current.load();
    if (Workers* const ours = KnownWorkers()) return *ours;
    auto own = std::make_unique<Workers>();
    if (current.compare_exchange_strong(known, own.get())) return *own.release();
    return *known;  // another thread has set `current` first
}

// Joins all worker threads when the process ends or the library is unloaded.
class Closing {
  public:
    Closing() = default;
    ~Closing() { WorkersOfProcess().Close(); }
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
};
const Closing closing;

// Keeps the first exception that calls on several threads throw.
class FirstException {
  public:
    template <class Call>
    void Catch(Call&& call) noexcept {
        try {
            call();
        } catch (...) {
            const std::lock_guard<std::mutex> lock(mutex_);
            if (first_ == nullptr) first_ = std::current_exception();
        }
    }
    void Rethrow() const {
        if (first_ != nullptr) std::rethrow_exception(first_);
    }

  private:
    std::mutex mutex_;
    std::exception_ptr first_;
};

// Returns the exception that is being handled as an error.
Status StatusOfException() noexcept {
    try {
        try {
            throw;
        } catch (const std::bad_alloc&) {
            return Status::OutOfMemory("out of memory");
        } catch (const std::length_error&) {
            return Status::OutOfMemory("out of memory");
        } catch (const std::exception& thrown) {
            return Status::Io(std::string("internal error: ") + thrown.what());
        } catch (...) {
            return Status::Io("internal error: unknown exception");
        }
    } catch (...) {
        return Status::OutOfMemory("out of memory");  // there is no memory for the message
    }
}

// Shared state of the threads of one ParallelFor() call.
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
        } catch (...) {
            return StatusOfException();
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

WorkerPool& WorkerPool::Instance() {
    static WorkerPool pool;
    return pool;
}

void WorkerPool::EndIdle() { WorkersOfProcess().EndIdle(); }

void WorkerPool::Pause() noexcept {
    Workers* const workers = KnownWorkers();
    paused = workers;
    if (workers == nullptr) return;
    workers->mutex.lock();
    const auto deadline = std::chrono::steady_clock::now() + tuning::kMaxForkWait;
    while ((workers->idle != workers->working || !workers->queue.empty()) &&
           std::chrono::steady_clock::now() < deadline) {
        workers->mutex.unlock();
        std::this_thread::sleep_for(std::chrono::microseconds(20));
        workers->mutex.lock();
    }
}

void WorkerPool::Resume() noexcept {
    if (paused != nullptr) paused->mutex.unlock();
}

void WorkerPool::Run(std::size_t helpers, const std::function<void()>& job) {
    if (helpers == 0) return job();
    Workers& workers = WorkersOfProcess();
    std::shared_ptr<const ThreadContext> context;
    try {
        context = ThreadContext::OfThisThread();
    } catch (const std::bad_alloc&) {
        return job();  // without helpers, which would lack the caller's ThreadContext
    }
    FirstException thrown;
    Job mine{[&] {
                 thrown.Catch([&] {
                     const ThreadContextScope in(context.get());
                     job();
                 });
             },
             false,
             0,
             {}};
    thrown.Catch([&] {
        workers.Start(mine, helpers);
        job();
    });
    workers.Stop(mine);
    thrown.Rethrow();
}

bool WorkerPool::Start(std::function<void()> job) {
    if (auto context = ThreadContext::OfThisThread())
        job = [context = std::move(context), job = std::move(job)] {
            const ThreadContextScope in(context.get());
            job();
        };
    // NOLINTNEXTLINE(modernize-make-unique): Job is an aggregate
    std::unique_ptr<Job> mine(new Job{std::move(job), true, 0, {}});
    return WorkersOfProcess().StartDetached(std::move(mine));
}

Status ParallelFor(std::size_t count, std::size_t max_threads,
                   const std::function<Status(std::size_t)>& task) {
    Work work(count, task);
    const std::size_t threads = std::min(count, std::max<std::size_t>(max_threads, 1));
    if (threads <= 1) {
        work.Run();
        return work.status();
    }
    try {
        WorkerPool::Instance().Run(threads - 1, [&work] { work.Run(); });
    } catch (...) {
        return StatusOfException();
    }
    return work.status();
}

namespace {

std::size_t& BudgetOfThisThread() {
    thread_local std::size_t threads = 1;
    return threads;
}

}  // namespace

ThreadBudget::ThreadBudget(std::size_t threads) : before_(BudgetOfThisThread()) {
    BudgetOfThisThread() = threads;
}

ThreadBudget::~ThreadBudget() { BudgetOfThisThread() = before_; }

std::size_t ThreadBudget::OfThisThread() { return BudgetOfThisThread(); }

}  // namespace zarr
