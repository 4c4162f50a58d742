// SPDX-License-Identifier: MIT
// What the WorkerPool owes a process that was forked, as Python's multiprocessing does it.
#if defined(__unix__) || defined(__APPLE__)

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "autotest/cpp/support/forks.h"
#include "autotest/cpp/support/sanitizers.h"
#include "autotest/cpp/support/threads.h"
#include "core/base/thread_pool.h"

namespace zarr {
namespace {

using test::Barrier;
using test::SucceedsInChild;

// True where the caller and as many helpers were at work at the same time.
bool RunInFork(std::size_t helpers) {
    Barrier barrier(helpers + 1);
    std::atomic<std::size_t> met{0};
    WorkerPool::Instance().Run(helpers, [&] {
        if (barrier.Meet()) ++met;
    });
    return met == helpers + 1;
}

class ForkedWorkerPool : public testing::Test {
  protected:
    void SetUp() override { SKIP_WITH_THREAD_SANITIZER(); }
};

// Threads that are at work in the pool until this ends.
class BusyThreads {
  public:
    BusyThreads() {
        for (std::size_t t = 0; t < 3; ++t)
            threads_.emplace_back([this, t] {
                while (!is_over_) {
                    WorkerPool::Instance().Run(1 + t, [this] { ++calls_; });
                    std::this_thread::yield();
                }
            });
        while (calls_ < 100) std::this_thread::yield();
    }
    ~BusyThreads() {
        is_over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    BusyThreads(const BusyThreads&) = delete;
    BusyThreads& operator=(const BusyThreads&) = delete;

  private:
    std::atomic<bool> is_over_{false};
    std::atomic<int> calls_{0};
    std::vector<std::thread> threads_;
};

TEST_F(ForkedWorkerPool, HasThreadsWhereTheParentsAreIdle) {
    ASSERT_TRUE(RunInFork(4));
    EXPECT_TRUE(SucceedsInChild([] { return RunInFork(4) && RunInFork(6); }));
    EXPECT_TRUE(RunInFork(4)) << "the parent keeps its own";
}

TEST_F(ForkedWorkerPool, HasThreadsWhereTheParentsAreAtWork) {
    SKIP_WITH_ADDRESS_SANITIZER();
    const BusyThreads busy;
    for (int round = 0; round < 15; ++round) {
        ASSERT_TRUE(SucceedsInChild([] { return RunInFork(3) && RunInFork(3); }))
            << "round " << round;
        ASSERT_TRUE(RunInFork(3)) << "round " << round;
    }
}

// One of the parent's threads is in the middle of a call, which ends after the fork.
TEST_F(ForkedWorkerPool, LeavesTheParentsCallsToTheParent) {
    Barrier begun(3);
    Barrier forked(3);
    std::atomic<int> met{0};
    std::thread caller([&] {
        WorkerPool::Instance().Run(1, [&] {
            met += begun.Meet() ? 1 : 0;
            met += forked.Meet() ? 1 : 0;
        });
    });
    EXPECT_TRUE(begun.Meet());
    EXPECT_TRUE(SucceedsInChild([] { return RunInFork(2); }));
    EXPECT_TRUE(forked.Meet());
    caller.join();
    EXPECT_EQ(met, 4);
}

TEST_F(ForkedWorkerPool, HasThreadsInChildrenOfChildren) {
    ASSERT_TRUE(RunInFork(2));
    EXPECT_TRUE(SucceedsInChild([] {
        return RunInFork(2) && SucceedsInChild([] { return RunInFork(2); }) && RunInFork(2);
    }));
}

TEST_F(ForkedWorkerPool, RunsOnTheCallerAlone) {
    EXPECT_TRUE(SucceedsInChild([] {
        int calls = 0;
        WorkerPool::Instance().Run(0, [&] { ++calls; });
        return calls == 1;
    }));
}

// Static objects, the pool among them, end in the child as they do in any process.
TEST_F(ForkedWorkerPool, LetsTheChildEnd) {
    SKIP_WITH_ADDRESS_SANITIZER();
    ASSERT_TRUE(RunInFork(2));
    EXPECT_TRUE(SucceedsInChild([] {
        if (!RunInFork(2)) return false;
        std::exit(0);
    }));
}

}  // namespace
}  // namespace zarr

#endif
