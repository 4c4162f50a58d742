// SPDX-License-Identifier: MIT
#include "core/base/checked.h"

#include <gtest/gtest.h>

namespace zarr {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(Checked, MultipliesUpToTheLimit) {
    EXPECT_EQ(CheckedMul(0, kMax), 0U);
    EXPECT_EQ(CheckedMul(kMax, 0), 0U);
    EXPECT_EQ(CheckedMul(kMax, 1), kMax);
    EXPECT_EQ(CheckedMul(0xffffffffU, 0x100000001U), kMax);
    EXPECT_EQ(CheckedMul(0x100000000U, 0x100000000U), std::nullopt);
    EXPECT_EQ(CheckedMul(kMax, 2), std::nullopt);
    EXPECT_EQ(CheckedMul(2, kMax / 2), kMax - 1);
    EXPECT_EQ(CheckedMul(2, kMax / 2 + 1), std::nullopt);
}

TEST(Checked, AddsUpToTheLimit) {
    EXPECT_EQ(CheckedAdd(kMax, 0), kMax);
    EXPECT_EQ(CheckedAdd(kMax - 5, 5), kMax);
    EXPECT_EQ(CheckedAdd(kMax - 5, 6), std::nullopt);
    EXPECT_EQ(CheckedAdd(1, kMax), std::nullopt);
}

TEST(Checked, SubtractsSignedNumbersUpToTheLimits) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(SubtractChecked(kLeast, 0), kLeast);
    EXPECT_EQ(SubtractChecked(kLeast + 1, 1), kLeast);
    EXPECT_EQ(SubtractChecked(kLeast, 1), std::nullopt);
    EXPECT_EQ(SubtractChecked(kMost - 1, -1), kMost);
    EXPECT_EQ(SubtractChecked(kMost, -1), std::nullopt);
    EXPECT_EQ(SubtractChecked(-1, kLeast), kMost);
    EXPECT_EQ(SubtractChecked(0, kLeast), std::nullopt);
    EXPECT_EQ(SubtractChecked(0, kMost), -kMost);
    EXPECT_EQ(SubtractChecked(-2, kMost), std::nullopt);
}

TEST(Checked, RoundsDivisionUp) {
    EXPECT_EQ(CeilDiv(0, 7), 0U);
    EXPECT_EQ(CeilDiv(14, 7), 2U);
    EXPECT_EQ(CeilDiv(15, 7), 3U);
    EXPECT_EQ(CeilDiv(kMax, 2), kMax / 2 + 1);
    EXPECT_EQ(CeilDiv(kMax, kMax), 1U);
}

}  // namespace
}  // namespace zarr
