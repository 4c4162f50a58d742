// SPDX-License-Identifier: MIT
#include "core/base/completion.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "autotest/cpp/support/threads.h"

namespace zarr {
namespace {

using test::Barrier;
using test::Watchdog;

TEST(Lazy, MakesAValueOnceForAllThreads) {
    Lazy<int> lazy;
    std::atomic<int> made{0};
    std::atomic<int> right{0};
    Barrier barrier(4);
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            if (!barrier.Meet()) return;
            const int value = lazy.Get([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                return ++made;
            });
            if (value == 1) ++right;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(made, 1);
    EXPECT_EQ(right, 4);
    lazy.Reset();
    EXPECT_EQ(lazy.Get([&] { return ++made; }), 2);
}

TEST(Lazy, TriesAgainAfterAFailure) {
    const Watchdog watchdog("Lazy");
    Lazy<int> lazy;
    EXPECT_THROW(lazy.Get([]() -> int { throw std::runtime_error("no"); }), std::runtime_error);
    EXPECT_EQ(lazy.Get([] { return 7; }), 7);
}

TEST(Lazy, DoesNotKeepAFailure) {
    Lazy<int> lazy;
    EXPECT_FALSE(lazy.TryGet([]() -> Result<int> { return Status::Io("no"); }).ok());
    const auto value = lazy.TryGet([]() -> Result<int> { return 5; });
    ASSERT_TRUE(value.ok());
    EXPECT_EQ(*value, 5);
}

}  // namespace
}  // namespace zarr
