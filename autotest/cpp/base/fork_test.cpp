// SPDX-License-Identifier: MIT
#include "core/base/fork.h"

#include <gtest/gtest.h>

#include <memory>

namespace zarr {
namespace {

TEST(ForkLocal, IsASharedPointerInItsProcessOnly) {
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

class Forked : public testing::Test {
  protected:
    void SetUp() override { SKIP_WITH_THREAD_SANITIZER(); }
};

TEST_F(Forked, ProcessesHaveTheirOwnGenerations) {
    const std::uint64_t mine = ForkGeneration();
    EXPECT_TRUE(SucceedsInChild([&] {
        const std::uint64_t childs = ForkGeneration();
        return childs != mine && SucceedsInChild([&] {
                   return ForkGeneration() != mine && ForkGeneration() != childs;
               });
    }));
    EXPECT_EQ(ForkGeneration(), mine);
}

TEST_F(Forked, AChildDoesNotGetForkLocalObjects) {
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
