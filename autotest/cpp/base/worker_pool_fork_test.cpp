// SPDX-License-Identifier: MIT
// What the WorkerPool owes a process that was forked, as Python's multiprocessing does it.
#if defined(__unix__) || defined(__APPLE__)

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

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

TEST_F(ForkedWorkerPool, HasThreadsWhereTheParentsAreIdle) {
    ASSERT_TRUE(RunInFork(4));
    EXPECT_TRUE(SucceedsInChild([] { return RunInFork(4) && RunInFork(6); }));
    EXPECT_TRUE(RunInFork(4)) << "the parent keeps its own";
}

// The pool works on after the call that began it has ended, as it does for reading ahead.
TEST_F(ForkedWorkerPool, ForksAfterWhatIsAtWorkHasEnded) {
    std::atomic<bool> has_ended{false};
    ASSERT_TRUE(WorkerPool::Instance().Start([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        has_ended = true;
    }));
    EXPECT_TRUE(SucceedsInChild([&] { return has_ended && RunInFork(2); }));
    EXPECT_TRUE(RunInFork(2));
}

// A job that does not end in time, as that of a thread that forks while it works for the pool.
TEST_F(ForkedWorkerPool, ForksAtLastWhileThePoolIsAtWork) {
    Barrier begun(3);
    Barrier forked(3);
    std::thread caller([&] {
        WorkerPool::Instance().Run(1, [&] {
            EXPECT_TRUE(begun.Meet());
            EXPECT_TRUE(forked.Meet());
        });
    });
    EXPECT_TRUE(begun.Meet());
    EXPECT_TRUE(SucceedsInChild([] { return RunInFork(2); }));
    EXPECT_TRUE(forked.Meet());
    caller.join();
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
