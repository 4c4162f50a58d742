// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "autotest/cpp/support/new_memory.h"
#include "core/base/bytes.h"

namespace zarr::test {
namespace {

#if ZARR_TEST_NEW_MEMORY

constexpr std::size_t kMegabyte = std::size_t{1} << 20;

class PopulateOn : public testing::TestWithParam<std::size_t> {
    void SetUp() override {
        if (!NewMemory::HasPopulateWrite()) GTEST_SKIP() << "the system cannot populate memory";
    }
};
INSTANTIATE_TEST_SUITE_P(Threads, PopulateOn, testing::Values(1, 2, 3, 16));

TEST_P(PopulateOn, GivesAllPages) {
    const NewMemory memory(9 * kMegabyte);
    Populate({memory.data(), 9 * kMegabyte}, GetParam());
    const auto pages = memory.Pages();
    EXPECT_EQ(std::count(pages.begin(), pages.end(), 1), static_cast<std::ptrdiff_t>(pages.size()));
}

TEST_P(PopulateOn, TouchesNoOtherPages) {
    const NewMemory memory(9 * kMegabyte);
    const std::size_t page = NewMemory::Page();
    const std::size_t begin = 3 * page + 100;
    const std::size_t size = 6 * kMegabyte;
    Populate({memory.data() + begin, size}, GetParam());
    const auto pages = memory.Pages();
    for (std::size_t i = 0; i < pages.size(); ++i) {
        const bool is_inside = i * page >= begin && (i + 1) * page <= begin + size;
        EXPECT_EQ(pages[i] != 0, is_inside) << "page " << i;
    }
}

TEST_P(PopulateOn, KeepsTheContents) {
    const NewMemory memory(4 * kMegabyte);
    for (std::size_t i = 0; i < 2 * kMegabyte; i += 1000)
        memory.data()[i] = static_cast<std::uint8_t>(i);
    Populate({memory.data(), 4 * kMegabyte}, GetParam());
    for (std::size_t i = 0; i < 4 * kMegabyte; i += 1000)
        ASSERT_EQ(memory.data()[i], i < 2 * kMegabyte ? static_cast<std::uint8_t>(i) : 0) << i;
}

TEST_P(PopulateOn, SkipsSmallMemory) {
    const NewMemory memory(kMegabyte);
    Populate({memory.data(), kMegabyte / 2}, GetParam());
    const auto pages = memory.Pages();
    EXPECT_EQ(std::count(pages.begin(), pages.end(), 1), 0);
}

#else

TEST(Populate, DoesNothingWithoutSystemSupport) {
    std::vector<std::uint8_t> memory(std::size_t{4} << 20, 7);
    Populate({memory.data(), memory.size()}, 2);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), 7),
              static_cast<std::ptrdiff_t>(memory.size()));
}

#endif

}  // namespace
}  // namespace zarr::test
