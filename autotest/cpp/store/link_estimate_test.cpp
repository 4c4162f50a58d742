// SPDX-License-Identifier: MIT
#include "core/store/link_estimate.h"

#include <gtest/gtest.h>

namespace zarr::test {
namespace {

TEST(LinkEstimate, GapIsLatencyTimesRate) {
    LinkEstimate link;
    EXPECT_EQ(link.Cost().gap, static_cast<std::uint64_t>(0.03 * 16 * (1 << 20)));
    link.Note(100, 50'000'000);       // latency: 50 ms
    link.Note(1 << 20, 150'000'000);  // 50 ms of latency, and 100 ms for 1 MiB
    EXPECT_EQ(link.latency(), 50'000'000U);
    EXPECT_NEAR(link.rate(), 10.0 * (1 << 20), 1);
    EXPECT_NEAR(static_cast<double>(link.Cost().gap), 0.05 * 10 * (1 << 20), 1);
}

TEST(LinkEstimate, FollowsTheQuickestAnswerAndForgetsSlowly) {
    LinkEstimate link;
    link.Note(0, 20'000'000);
    // Four slow answers: the client may be busy, so the estimated latency must stay low.
    for (int i = 0; i < 4; ++i) link.Note(0, 200'000'000);
    EXPECT_LT(link.latency(), 35'000'000U);
    // Many slow answers: the network has become slower.
    for (int i = 0; i < 500; ++i) link.Note(0, 200'000'000);
    EXPECT_GT(link.latency(), 190'000'000U);
}

TEST(LinkEstimate, StaysWithinItsBounds) {
    LinkEstimate near_by;
    near_by.Note(0, 1000);
    EXPECT_EQ(near_by.Cost().gap, tuning::kMinGap);
    LinkEstimate far;
    far.Note(0, 10'000'000'000);
    EXPECT_EQ(far.Cost().gap, tuning::kMaxGap);
    // A transfer in 0 ns must not lead to a division by zero.
    LinkEstimate at_once;
    at_once.Note(1 << 20, 0);
    EXPECT_GT(at_once.rate(), 0);
}

}  // namespace
}  // namespace zarr::test
