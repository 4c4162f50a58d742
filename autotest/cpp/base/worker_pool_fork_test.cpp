// SPDX-License-Identifier: MIT
// Tests of WorkerPool in forked processes, as Python's multiprocessing creates them.
#if defined(__unix__) || defined(__APPLE__)

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "autotest/cpp/support/forks.h"
#include "autotest/cpp/support/threads.h"
#include "core/base/sanitizers.h"
#include "core/base/thread_pool.h"

namespace zarr {
namespace {

using test::Barrier;
using test::SucceedsInChild;

// Returns true if the calling thread and `helpers` threads of the pool run at the same time.
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

TEST_F(ForkedWorkerPool, HasThreadsIfTheParentsAreIdle) {
    ASSERT_TRUE(RunInFork(4));
    EXPECT_TRUE(SucceedsInChild([] { return RunInFork(4) && RunInFork(6); }));
    EXPECT_TRUE(RunInFork(4)) << "the parent keeps its own";
}

// The job runs in the background, like read-ahead of chunks. The fork must wait until the job ends.
// Afterwards, the parent and the child must be able to use the pool.
TEST_F(ForkedWorkerPool, ForksAfterRunningWorkHasEnded) {
    std::atomic<bool> has_ended{false};
    ASSERT_TRUE(WorkerPool::Instance().Start([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
        has_ended = true;
    }));
    EXPECT_TRUE(SucceedsInChild([&] { return has_ended && RunInFork(2); }));
    EXPECT_TRUE(RunInFork(2));
}

// The job ends only after the fork, so the fork must stop waiting for the job after a while.
TEST_F(ForkedWorkerPool, ForksWhileThePoolIsBusyAfterAWait) {
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

// The pool's threads do not exist in a forked child. The exit handlers of the child must not wait
// for them.
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
