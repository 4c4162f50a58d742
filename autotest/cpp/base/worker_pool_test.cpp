// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <future>
#include <iterator>
#include <memory>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "autotest/cpp/support/threads.h"
#include "core/base/thread_context.h"
#include "core/base/thread_pool.h"

namespace zarr {
namespace {

using test::Barrier;
using test::kMaxWait;
using test::Watchdog;

using Ids = std::set<std::thread::id>;

WorkerPool& Pool() { return WorkerPool::Instance(); }

// Counts the threads that called Count(), and how many of them have ended.
class ThreadEnds {
  public:
    static void Count() {
        struct Sentinel {
            Sentinel() {
                const std::lock_guard<std::mutex> lock(mutex_);
                ++alive_;
                ++begun_;
            }
            ~Sentinel() {
                {
                    const std::lock_guard<std::mutex> lock(mutex_);
                    --alive_;
                }
                changed_.notify_all();
            }
        };
        thread_local const Sentinel sentinel;
        static_cast<void>(sentinel);
    }

    static std::size_t alive() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return alive_;
    }
    static std::size_t begun() {
        const std::lock_guard<std::mutex> lock(mutex_);
        return begun_;
    }
    // Returns false if not all counted threads end within kMaxWait.
    static bool WaitForAll() {
        std::unique_lock<std::mutex> lock(mutex_);
        return changed_.wait_for(lock, kMaxWait, [] { return alive_ == 0; });
    }

  private:
    inline static std::mutex mutex_;
    inline static std::condition_variable changed_;
    inline static std::size_t alive_ = 0;
    inline static std::size_t begun_ = 0;
};

// Runs work on the calling thread and on `helpers` threads of the pool, all at the same time.
// Returns the ids of the pool's threads.
Ids RunTogether(std::size_t helpers) {
    const std::thread::id caller = std::this_thread::get_id();
    Barrier barrier(helpers + 1);
    std::mutex mutex;
    Ids ids;
    std::size_t met = 0;
    Pool().Run(helpers, [&] {
        const bool have_met = barrier.Meet();
        if (std::this_thread::get_id() != caller) ThreadEnds::Count();
        const std::lock_guard<std::mutex> lock(mutex);
        met += have_met ? 1 : 0;
        ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(met, helpers + 1) << "helpers did not come";
    EXPECT_EQ(ids.size(), helpers + 1);
    EXPECT_EQ(ids.erase(std::this_thread::get_id()), 1U) << "the caller works, too";
    return ids;
}

class Helpers : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Numbers, Helpers, testing::Values(1, 2, 7, 40));

TEST_P(Helpers, RunAtTheSameTimeAsTheCaller) {
    for (int round = 0; round < 5; ++round) RunTogether(GetParam());
}

TEST_P(Helpers, MayExceedTheProcessors) {
    RunTogether(GetParam() * std::max(1U, std::thread::hardware_concurrency()));
}

TEST_P(Helpers, AreNoMoreThanAskedFor) {
    for (int round = 0; round < 300; ++round) {
        std::atomic<std::size_t> calls{0};
        Pool().Run(GetParam(), [&] {
            ++calls;
            std::this_thread::yield();
        });
        ASSERT_GE(calls, 1U);
        ASSERT_LE(calls, GetParam() + 1);
    }
}

// The work is so short that it may end before all helpers have started. A helper that is late must
// not run the work.
TEST_P(Helpers, DoNotRunAfterTheEnd) {
    std::atomic<int> late{0};
    for (int round = 0; round < 1000; ++round) {
        const auto is_over = std::make_shared<std::atomic<bool>>(false);
        const auto inside = std::make_shared<std::atomic<int>>(0);
        Pool().Run(GetParam(), [is_over, inside, &late] {
            ++*inside;
            if (*is_over) ++late;
            std::this_thread::yield();
            if (*is_over) ++late;
            --*inside;
        });
        *is_over = true;
        ASSERT_EQ(*inside, 0);
    }
    EXPECT_EQ(late, 0);
}

TEST(WorkerPool, RunsOnTheCallerAloneWithoutHelpers) {
    Ids ids;
    int calls = 0;
    Pool().Run(0, [&] {
        ++calls;
        ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(calls, 1);
    EXPECT_EQ(ids, Ids{std::this_thread::get_id()});
}

TEST(WorkerPool, WaitsForAHelperThatIsSlow) {
    const std::thread::id caller = std::this_thread::get_id();
    for (int round = 0; round < 20; ++round) {
        Barrier begun(2);
        std::atomic<bool> caller_is_done{false};
        std::atomic<bool> helper_is_done{false};
        Pool().Run(1, [&] {
            EXPECT_TRUE(begun.Meet());
            if (std::this_thread::get_id() == caller) {
                caller_is_done = true;
                return;
            }
            while (!caller_is_done) std::this_thread::yield();
            for (int i = 0; i < 200; ++i) std::this_thread::yield();
            helper_is_done = true;
        });
        ASSERT_TRUE(helper_is_done);
    }
}

// The job's objects are on the caller's stack, so Run() must not end before the helper has ended.
TEST(WorkerPool, ThrowsWhenAllCallsHaveEnded) {
    const std::thread::id caller = std::this_thread::get_id();
    for (int round = 0; round < 20; ++round) {
        Barrier begun(2);
        std::atomic<bool> caller_throws{false};
        std::atomic<bool> helper_is_done{false};
        EXPECT_THROW(Pool().Run(1,
                                [&] {
                                    EXPECT_TRUE(begun.Meet());
                                    if (std::this_thread::get_id() == caller) {
                                        caller_throws = true;
                                        throw std::out_of_range("caller");
                                    }
                                    while (!caller_throws) std::this_thread::yield();
                                    for (int i = 0; i < 200; ++i) std::this_thread::yield();
                                    helper_is_done = true;
                                }),
                     std::out_of_range);
        ASSERT_TRUE(helper_is_done);
    }
}

TEST(WorkerPool, ThrowsWhatAHelperThrew) {
    const std::thread::id caller = std::this_thread::get_id();
    for (int round = 0; round < 20; ++round) {
        Barrier begun(2);
        bool caller_is_done = false;
        EXPECT_THROW(Pool().Run(1,
                                [&] {
                                    EXPECT_TRUE(begun.Meet());
                                    if (std::this_thread::get_id() != caller)
                                        throw std::out_of_range("helper");
                                    caller_is_done = true;
                                }),
                     std::out_of_range);
        EXPECT_TRUE(caller_is_done);
    }
    RunTogether(3);
}

TEST(WorkerPool, IgnoresWhatWorkThatNobodyWaitsForThrew) {
    for (int round = 0; round < 20; ++round) {
        const auto has_begun = std::make_shared<std::promise<void>>();
        ASSERT_TRUE(Pool().Start([has_begun] {
            has_begun->set_value();
            throw std::out_of_range("nobody");
        }));
        has_begun->get_future().wait();
    }
    RunTogether(3);
}

void Nest(std::size_t depth, std::size_t helpers, std::atomic<int>& leaves) {
    if (depth == 0) {
        ++leaves;
        return;
    }
    std::atomic<int> calls{0};
    Pool().Run(helpers, [&] {
        ++calls;
        Nest(depth - 1, helpers, leaves);
    });
    EXPECT_GE(calls, 1);
}

TEST(WorkerPool, RunsInsideOfRuns) {
    const Watchdog watchdog("WorkerPool.RunsInsideOfRuns");
    for (int round = 0; round < 50; ++round) {
        std::atomic<int> leaves{0};
        Nest(4, 2, leaves);
        EXPECT_GE(leaves, 1);
        EXPECT_LE(leaves, 3 * 3 * 3 * 3);
    }
}

// Each helper requests two more helpers while all other helpers are busy. All requested helpers
// must run.
TEST(WorkerPool, GivesHelpersHelpers) {
    const Watchdog watchdog("WorkerPool.GivesHelpersHelpers");
    Barrier all(4);
    std::atomic<int> met{0};
    Pool().Run(3, [&] {
        if (all.Meet()) ++met;
        Barrier inner(3);
        Pool().Run(2, [&] {
            if (inner.Meet()) ++met;
        });
    });
    EXPECT_EQ(met, 4 + 4 * 3);
}

// Several threads call the pool at the same time. Each call must complete all its own tasks.
TEST(WorkerPool, ServesManyCallersAtOnce) {
    const Watchdog watchdog("WorkerPool.ServesManyCallersAtOnce");
    constexpr std::size_t kTasks = 20;
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (std::size_t t = 0; t < 10; ++t)
        callers.emplace_back([&, t] {
            for (std::size_t round = 0; round < 150; ++round) {
                std::atomic<std::size_t> next{0};
                std::vector<std::atomic<int>> done(kTasks);
                std::atomic<std::size_t> calls{0};
                const std::size_t helpers = (t + round) % 6;
                Pool().Run(helpers, [&] {
                    ++calls;
                    for (std::size_t i = next++; i < kTasks; i = next++) ++done[i];
                });
                for (const std::atomic<int>& each : done) wrong += each == 1 ? 0 : 1;
                if (calls > helpers + 1) ++wrong;
            }
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

TEST(WorkerPool, KeepsItsThreadsForTheNextCall) {
    constexpr std::size_t kRounds = 300;
    ASSERT_TRUE(ThreadEnds::WaitForAll());
    const std::size_t before = ThreadEnds::begun();
    for (std::size_t round = 0; round < kRounds; ++round) RunTogether(3);
    // Calls must reuse the three threads. The limit is one new thread per round, because a slow
    // machine may need a few.
    EXPECT_LT(ThreadEnds::begun() - before, kRounds);
}

TEST(WorkerPool, EndsItsThreadsAndStartsOthers) {
    for (int round = 0; round < 2; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        RunTogether(5);
        ASSERT_TRUE(ThreadEnds::WaitForAll()) << ThreadEnds::alive() << " threads stay";
        EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(800));
    }
    RunTogether(5);
}

TEST(WorkerPool, EndsIdleThreadsAtOnce) {
    for (int round = 0; round < 20; ++round) {
        RunTogether(5);
        Pool().EndIdle();
        EXPECT_EQ(ThreadEnds::alive(), 0);
    }
    Pool().EndIdle();  // does nothing: no thread is idle
    RunTogether(5);
}

TEST(WorkerPool, EndsIdleThreadsWhileOthersWork) {
    std::atomic<bool> is_over{false};
    std::thread worker([&] {
        while (!is_over) Pool().Run(3, [] {});
    });
    for (int round = 0; round < 200; ++round) Pool().EndIdle();
    is_over = true;
    worker.join();
    Pool().EndIdle();
    EXPECT_EQ(ThreadEnds::alive(), 0);
}

#if defined(__linux__)
// Many very short calls follow each other. Threads that are still starting must count as threads,
// or each call would start more threads.
TEST(WorkerPool, StartsNoMoreThreadsThanHelp) {
    constexpr std::size_t kHelpers = 3;
    const auto count = [] {
        using Entries = std::filesystem::directory_iterator;
        return std::distance(Entries("/proc/self/task"), Entries());
    };
    ASSERT_TRUE(ThreadEnds::WaitForAll());
    const auto before = count();
    auto most = before;
    for (int round = 0; round < 3000; ++round) {
        Pool().Run(kHelpers, [] {});
        if (round % 10 == 0) most = std::max(most, count());
    }
    EXPECT_LE(most, before + static_cast<std::ptrdiff_t>(2 * kHelpers));
}
#endif

TEST(WorkerPool, StartsWorkThatNobodyWaitsFor) {
    const Watchdog watchdog("WorkerPool.StartsWorkThatNobodyWaitsFor");
    const auto caller = std::this_thread::get_id();
    std::mutex mutex;
    std::condition_variable ended;
    int count = 0;
    for (int i = 0; i < 20; ++i)
        ASSERT_TRUE(Pool().Start([&] {
            EXPECT_NE(std::this_thread::get_id(), caller);
            const std::lock_guard<std::mutex> lock(mutex);
            if (++count == 20) ended.notify_one();
        }));
    std::unique_lock<std::mutex> lock(mutex);
    ended.wait(lock, [&] { return count == 20; });
}

thread_local int number_of_this_thread = 0;

// A ThreadContext with a number. The number passes from a thread that calls the pool to the threads
// that help it.
class Number final : public ThreadContext {
  public:
    explicit Number(int number) : number_(number) {}
    static std::shared_ptr<const ThreadContext> OfThisThread() {
        if (number_of_this_thread == 0) return nullptr;
        return std::make_shared<const Number>(number_of_this_thread);
    }

  private:
    void Begin() const override { number_of_this_thread = number_; }
    void End() const override { number_of_this_thread = 0; }

    const int number_;
};

TEST(WorkerPool, RunsInTheContextOfTheCaller) {
    ThreadContext::SetSource(Number::OfThisThread);
    for (const int number : {7, 0, 8}) {
        number_of_this_thread = number;
        Barrier together(3);
        std::atomic<int> others{0};
        Pool().Run(2, [&] {
            ASSERT_TRUE(together.Meet());
            if (number_of_this_thread != number) ++others;
            // Work that a helper hands out must run in the helper's context.
            Barrier two(2);
            Pool().Run(1, [&] {
                ASSERT_TRUE(two.Meet());
                if (number_of_this_thread != number) ++others;
            });
        });
        EXPECT_EQ(others, 0);
        EXPECT_EQ(number_of_this_thread, number);
        const auto seen = std::make_shared<std::promise<int>>();
        ASSERT_TRUE(Pool().Start([seen] { seen->set_value(number_of_this_thread); }));
        number_of_this_thread = 0;
        EXPECT_EQ(seen->get_future().get(), number);
    }
    ThreadContext::SetSource(nullptr);
}

TEST(ByteGate, AdmitsItsBytesAndLargerRequestsAlone) {
    const Watchdog watchdog("ByteGate.AdmitsItsBytesAndLargerRequestsAlone");
    ByteGate gate(100);
    std::atomic<int> inside{0};
    std::atomic<int> most{0};
    const auto pass = [&](std::size_t bytes) {
        const ByteGate::Pass held(gate, bytes);
        const int now = ++inside;
        for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        --inside;
    };
    const auto run = [&](std::size_t bytes) {
        most = 0;
        std::vector<std::thread> threads;
        for (int i = 0; i < 8; ++i) threads.emplace_back([&] { pass(bytes); });
        for (std::thread& thread : threads) thread.join();
        return most.load();
    };
    EXPECT_LE(run(50), 2);
    EXPECT_EQ(run(101), 1);
    EXPECT_LE(run(0), 8);
}

}  // namespace
}  // namespace zarr
