// SPDX-License-Identifier: MIT
// What core/base/fork.h and those that build on it owe a forked process. The pool of threads has
// its own test.
#include "core/base/fork.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

#include "autotest/cpp/support/threads.h"

namespace zarr {
namespace {

using test::Barrier;
using test::Watchdog;

TEST(ForkSafeMutex, HoldsThreadsApart) {
    Mutex mutex;
    SharedMutex shared;
    int count = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < 1000; ++i) {
                const std::unique_lock<SharedMutex> outer(shared);
                const std::lock_guard<Mutex> inner(mutex);
                ++count;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(count, 4000);
}

TEST(ForkSafeMutex, LetsReadersInTogether) {
    SharedMutex mutex;
    Barrier barrier(3);
    std::atomic<int> met{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t)
        threads.emplace_back([&] {
            const std::shared_lock<SharedMutex> lock(mutex);
            if (barrier.Meet()) ++met;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(met, 3);
}

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

TEST(ForkLocal, IsASharedPointerToItsProcess) {
    ForkLocal<int> local;
    EXPECT_TRUE(local == nullptr);
    EXPECT_FALSE(local.is_inherited());
    const auto five = std::make_shared<int>(5);
    local.Set(five);
    ASSERT_TRUE(local != nullptr);
    EXPECT_EQ(*local, 5);
    EXPECT_EQ(local.Share(), five);
    EXPECT_EQ(five.use_count(), 2);
    local.Set(nullptr);
    EXPECT_EQ(five.use_count(), 1);
}

}  // namespace
}  // namespace zarr

#if defined(__unix__) || defined(__APPLE__)

#include "autotest/cpp/support/forks.h"

namespace zarr {
namespace {

using test::SucceedsInChild;

constexpr int kRounds = 50;

class Forked : public testing::Test {
  protected:
    void SetUp() override { SKIP_WITH_THREAD_SANITIZER(); }
};

// Threads that do something all the time.
class Repeating {
  public:
    Repeating(int threads, std::function<void()> act) : act_(std::move(act)) {
        for (int t = 0; t < threads; ++t)
            threads_.emplace_back([this] {
                while (!is_over_) {
                    act_();
                    ++acts_;
                }
            });
        while (acts_ < 100) std::this_thread::yield();
    }
    ~Repeating() {
        is_over_ = true;
        for (std::thread& thread : threads_) thread.join();
    }
    Repeating(const Repeating&) = delete;
    Repeating& operator=(const Repeating&) = delete;

  private:
    const std::function<void()> act_;
    std::atomic<bool> is_over_{false};
    std::atomic<int> acts_{0};
    std::vector<std::thread> threads_;
};

TEST_F(Forked, ProcessesHaveGenerationsOfTheirOwn) {
    const std::uint64_t mine = ForkGeneration();
    EXPECT_TRUE(SucceedsInChild([&] {
        const std::uint64_t childs = ForkGeneration();
        return childs != mine && SucceedsInChild([&] {
                   return ForkGeneration() != mine && ForkGeneration() != childs;
               });
    }));
    EXPECT_EQ(ForkGeneration(), mine);
}

// Two counts that are equal whenever the mutexes are free; nested and in readers, too.
TEST_F(Forked, WhatAMutexGuardsIsWhole) {
    Mutex outer;
    SharedMutex inner;
    volatile int first = 0;
    volatile int second = 0;
    const Repeating busy(4, [&] {
        const std::lock_guard<Mutex> lock(outer);
        {
            const std::unique_lock<SharedMutex> nested(inner);
            first = first + 1;
            std::this_thread::yield();
            second = second + 1;
        }
        const std::shared_lock<SharedMutex> reader(inner);
    });
    for (int round = 0; round < kRounds; ++round)
        ASSERT_TRUE(SucceedsInChild([&] {
            const std::lock_guard<Mutex> lock(outer);
            const std::unique_lock<SharedMutex> nested(inner);
            return first == second;
        })) << round;
}

// A lock that the forking thread holds itself is its child's as well.
TEST_F(Forked, AThreadKeepsItsOwnMutex) {
    Mutex mutex;
    const std::lock_guard<Mutex> lock(mutex);
    EXPECT_TRUE(SucceedsInChild([&] {
        mutex.unlock();
        std::thread([&] { const std::lock_guard<Mutex> other(mutex); }).join();
        mutex.lock();
        return true;
    }));
}

TEST_F(Forked, AChildDoesNotWaitForTurnsOfItsParent) {
    const auto turn = std::make_shared<Completion>();
    EXPECT_TRUE(turn->IsOfThisProcess());
    EXPECT_TRUE(SucceedsInChild([&] { return !turn->IsOfThisProcess(); }));
}

// In the parent one thread makes the value and another waits for it.
TEST_F(Forked, AChildMakesAnewWhatAThreadOfItsParentWasMaking) {
    Lazy<int> lazy;
    Barrier making(2);
    Barrier forked(2);
    std::thread maker([&] {
        lazy.Get([&] {
            EXPECT_TRUE(making.Meet());
            EXPECT_TRUE(forked.Meet());
            return 1;
        });
    });
    EXPECT_TRUE(making.Meet());
    std::thread waiter([&] { EXPECT_EQ(lazy.Get([] { return 2; }), 1); });
    EXPECT_TRUE(SucceedsInChild([&] { return lazy.Get([] { return 3; }) == 3; }));
    EXPECT_TRUE(forked.Meet());
    maker.join();
    waiter.join();
    EXPECT_EQ(lazy.Get([] { return 4; }), 1);
}

TEST_F(Forked, AChildHasNothingThatIsItsParentsAlone) {
    struct Counted {
        int& ended;
        explicit Counted(int& count) : ended(count) {}
        ~Counted() { ++ended; }
    };
    int ended = 0;
    auto local = std::make_unique<ForkLocal<Counted>>(std::make_shared<Counted>(ended));
    EXPECT_TRUE(SucceedsInChild([&] {
        const bool is_hidden =
            local->is_inherited() && *local == nullptr && local->Share() == nullptr;
        int own = 0;
        local->Set(std::make_shared<Counted>(own));
        const bool is_set = *local != nullptr && !local->is_inherited();
        local.reset();
        return is_hidden && is_set && ended == 0 && own == 1;
    }));
    EXPECT_TRUE(*local != nullptr);
    local.reset();
    EXPECT_EQ(ended, 1);
}

}  // namespace
}  // namespace zarr

#endif
