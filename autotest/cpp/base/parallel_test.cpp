// SPDX-License-Identifier: MIT
#include <atomic>
#include <chrono>
#include <mutex>
#include <new>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/threads.h"
#include "core/base/thread_pool.h"

namespace zarr {
namespace {

using test::Fails;
using test::Succeeds;

class Parallel : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, Parallel, testing::Values(0U, 1U, 2U, 16U));

TEST_P(Parallel, RunsEveryTaskOnce) {
    for (const std::size_t count : {0U, 1U, 2U, 7U, 1000U}) {
        std::vector<std::atomic<int>> runs(count);
        EXPECT_TRUE(Succeeds(ParallelFor(count, GetParam(), [&](std::size_t i) {
            ++runs[i];
            return Status();
        })));
        for (const std::atomic<int>& n : runs) EXPECT_EQ(n, 1);
    }
}

TEST_P(Parallel, UsesNoMoreThreadsThanAllowed) {
    std::mutex mutex;
    std::set<std::thread::id> seen;
    EXPECT_TRUE(Succeeds(ParallelFor(200, GetParam(), [&](std::size_t) {
        const std::lock_guard<std::mutex> lock(mutex);
        seen.insert(std::this_thread::get_id());
        return Status();
    })));
    EXPECT_LE(seen.size(), std::max<std::size_t>(GetParam(), 1));
    if (GetParam() <= 1) {
        EXPECT_EQ(seen, std::set{std::this_thread::get_id()});
    }
}

TEST_P(Parallel, ReturnsTheFailureOfTheLowestIndexThatRan) {
    for (int round = 0; round < 50; ++round) {
        std::mutex mutex;
        std::set<std::size_t> ran;
        const Status status = ParallelFor(64, GetParam(), [&](std::size_t i) {
            const std::lock_guard<std::mutex> lock(mutex);
            ran.insert(i);
            return Status::Corrupt("chunk " + std::to_string(i));
        });
        ASSERT_FALSE(ran.empty());
        EXPECT_TRUE(Fails(status, StatusCode::kCorrupt));
        EXPECT_EQ(status.message(), "chunk " + std::to_string(*ran.begin()));
    }
}

// Other threads run tasks until the failure is known. On a busy machine they may run thousands of
// tasks, so the limit is generous.
TEST_P(Parallel, StartsNoTaskAfterAFailure) {
    constexpr std::size_t kCount = 200000;
    std::atomic<std::size_t> started{0};
    const Status status = ParallelFor(kCount, GetParam(), [&](std::size_t i) {
        ++started;
        if (i == 3) return Status::Io("disk");
        std::this_thread::sleep_for(std::chrono::microseconds(100));
        return Status();
    });
    EXPECT_TRUE(Fails(status, StatusCode::kIo, "disk"));
    EXPECT_LT(started, GetParam() <= 1 ? 5U : kCount / 2);
}

TEST_P(Parallel, TurnsBadAllocIntoAStatus) {
    std::atomic<int> finished{0};
    const Status status = ParallelFor(100, GetParam(), [&](std::size_t i) -> Status {
        if (i == 40) throw std::bad_alloc();
        ++finished;
        return {};
    });
    EXPECT_TRUE(Fails(status, StatusCode::kOutOfMemory, "out of memory"));
    EXPECT_LT(finished, 100);
}

// Throws one of several kinds of exceptions.
[[noreturn]] void Throw(int kind) {
    if (kind == 0) throw std::out_of_range("no such place");
    if (kind == 1) throw std::length_error("too long");
    throw kind;
}

TEST_P(Parallel, TurnsEveryExceptionIntoAStatus) {
    constexpr const char* kTexts[] = {"internal error: no such place", "out of memory",
                                      "internal error: unknown exception"};
    for (int kind = 0; kind < 3; ++kind) {
        const Status status = ParallelFor(100, GetParam(), [&](std::size_t i) -> Status {
            if (i == 40) Throw(kind);
            return {};
        });
        EXPECT_TRUE(
            Fails(status, kind == 1 ? StatusCode::kOutOfMemory : StatusCode::kIo, kTexts[kind]));
    }
}

// All tasks throw at the same time, each on its own thread.
TEST(ParallelFor, TurnsExceptionsOfAllThreadsIntoOneStatus) {
    for (int round = 0; round < 50; ++round) {
        test::Barrier together(4);
        const Status status = ParallelFor(4, 4, [&](std::size_t) -> Status {
            if (!together.Meet()) return Status::Io("alone");
            Throw(0);
        });
        EXPECT_TRUE(Fails(status, StatusCode::kIo, "internal error: no such place"));
    }
}

TEST(ParallelFor, ReturnsTheLowestFailureEvenIfLast) {
    std::atomic<bool> other_failed{false};
    const Status status = ParallelFor(2, 2, [&](std::size_t i) {
        if (i == 1) {
            other_failed = true;
        } else {
            while (!other_failed) std::this_thread::yield();
            std::this_thread::sleep_for(std::chrono::milliseconds(50));
        }
        return Status::Corrupt("chunk " + std::to_string(i));
    });
    EXPECT_TRUE(Fails(status, StatusCode::kCorrupt, "chunk 0"));
}

TEST(ParallelFor, RunsNoTaskAfterItsEnd) {
    std::atomic<int> running{0};
    for (int round = 0; round < 100; ++round) {
        EXPECT_TRUE(Succeeds(ParallelFor(8, 4, [&](std::size_t) {
            ++running;
            std::this_thread::yield();
            --running;
            return Status();
        })));
        ASSERT_EQ(running, 0);
    }
}

TEST(ParallelFor, ThreadsReallyRunAtOnce) {
    std::atomic<int> arrived{0};
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    EXPECT_TRUE(Succeeds(ParallelFor(4, 4, [&](std::size_t) {
        ++arrived;
        while (arrived < 4) {  // ends only if all four tasks run at the same time
            if (std::chrono::steady_clock::now() > deadline) return Status::Io("alone");
            std::this_thread::yield();
        }
        return Status();
    })));
}

TEST(ThreadBudgets, ApplyToOneThreadAndOneScope) {
    EXPECT_EQ(ThreadBudget::OfThisThread(), 1U);
    {
        const ThreadBudget outer(4);
        EXPECT_EQ(ThreadBudget::OfThisThread(), 4U);
        {
            const ThreadBudget inner(2);
            EXPECT_EQ(ThreadBudget::OfThisThread(), 2U);
        }
        EXPECT_EQ(ThreadBudget::OfThisThread(), 4U);
        std::thread([] { EXPECT_EQ(ThreadBudget::OfThisThread(), 1U); }).join();
    }
    EXPECT_EQ(ThreadBudget::OfThisThread(), 1U);
}

}  // namespace
}  // namespace zarr
