// SPDX-License-Identifier: MIT
#include "core/store/range_plan.h"

#include <string>

#include "core/store/link_estimate.h"

namespace zarr {
namespace {

std::string Joined(std::vector<WantedRange> wanted, const ReadCost& cost) {
    std::string text;
    for (const JoinedRange& range : JoinRanges(wanted, cost))
        text += std::to_string(range.offset) + "-" + std::to_string(range.end) + "(" +
                std::to_string(range.count) + ") ";
    return text;
}

constexpr std::uint64_t kMega = 1'000'000;

TEST(RangePlan, JoinsWhatTouchesOrLiesAsNearAsTheGap) {
    EXPECT_EQ(Joined({}, {10, kMega}), "");
    EXPECT_EQ(Joined({{20, 10, 0}, {0, 20, 1}}, {0, kMega}), "0-30(2) ");
    EXPECT_EQ(Joined({{0, 10, 0}, {20, 10, 1}}, {10, kMega}), "0-30(2) ");
    EXPECT_EQ(Joined({{0, 10, 0}, {21, 10, 1}}, {10, kMega}), "0-10(1) 21-31(1) ");
    // The same bytes twice, one within the other, and none.
    EXPECT_EQ(Joined({{0, 100, 0}, {0, 100, 1}, {20, 10, 2}, {100, 0, 3}}, {0, kMega}),
              "0-100(4) ");
}

TEST(RangePlan, KeepsRequestsAsSmallAsTheyMayBe) {
    EXPECT_EQ(Joined({{0, 60, 0}, {60, 60, 1}, {120, 60, 2}}, {0, 120}), "0-120(2) 120-180(1) ");
    EXPECT_EQ(Joined({{0, 500, 0}, {500, 10, 1}}, {0, 120}), "0-500(1) 500-510(1) ");
}

TEST(RangePlan, ReadsOverTheSmallestGapsAndNoMoreThanTheShare) {
    // 400 are wanted, so that 40 may be wasted: 10 and 20, and not 30.
    const std::vector<WantedRange> wanted = {
        {0, 100, 0}, {120, 100, 1}, {230, 100, 2}, {360, 100, 3}};
    EXPECT_EQ(Joined(wanted, {50, kMega, 10}), "0-330(3) 360-460(1) ");
    EXPECT_EQ(Joined(wanted, {50, kMega, 0}), "0-460(4) ");
    EXPECT_EQ(Joined(wanted, {15, kMega, 10}), "0-100(1) 120-330(2) 360-460(1) ");
    EXPECT_EQ(Joined(wanted, {50, kMega, 1000}), "0-100(1) 120-220(1) 230-330(1) 360-460(1) ");
    EXPECT_EQ(Joined(wanted, {50, kMega, 1000, 20}), "0-330(3) 360-460(1) ");
}

TEST(RangePlan, GapsOfOneSizeGoTogetherOrNot) {
    // Of four gaps of 15 two would fit.
    EXPECT_EQ(Joined({{0, 60, 0}, {75, 60, 1}, {150, 60, 2}, {225, 60, 3}, {300, 60, 4}},
                     {50, kMega, 10}),
              "0-60(1) 75-135(1) 150-210(1) 225-285(1) 300-360(1) ");
}

TEST(RangePlan, EndsBeyondWhatCanBeCountedAreNoTrouble) {
    const std::uint64_t far = UINT64_MAX - 5;
    EXPECT_EQ(Joined({{far, 100, 0}, {0, 10, 1}}, {10, kMega, 10}),
              "0-10(1) " + std::to_string(far) + "-" + std::to_string(UINT64_MAX) + "(1) ");
}

TEST(LinkEstimate, GapIsWhatComesInTheTimeOfAnAnswer) {
    LinkEstimate link;
    EXPECT_EQ(link.Cost().gap, static_cast<std::uint64_t>(0.03 * 16 * (1 << 20)));
    link.Note(100, 50'000'000);       // 50 ms
    link.Note(1 << 20, 150'000'000);  // 1 MiB in 100 ms more
    EXPECT_EQ(link.latency(), 50'000'000U);
    EXPECT_NEAR(link.rate(), 10.0 * (1 << 20), 1);
    EXPECT_NEAR(static_cast<double>(link.Cost().gap), 0.05 * 10 * (1 << 20), 1);
}

TEST(LinkEstimate, BelievesTheQuickestAnswerAndForgetsItSlowly) {
    LinkEstimate link;
    link.Note(0, 20'000'000);
    for (int i = 0; i < 4; ++i) link.Note(0, 200'000'000);  // a busy client
    EXPECT_LT(link.latency(), 35'000'000U);
    for (int i = 0; i < 500; ++i) link.Note(0, 200'000'000);  // another way
    EXPECT_GT(link.latency(), 190'000'000U);
}

TEST(LinkEstimate, StaysWithinItsBounds) {
    LinkEstimate near_by;
    near_by.Note(0, 1000);
    EXPECT_EQ(near_by.Cost().gap, LinkEstimate::kLeastGap);
    LinkEstimate far;
    far.Note(0, 10'000'000'000);
    EXPECT_EQ(far.Cost().gap, LinkEstimate::kMostGap);
    LinkEstimate at_once;  // answers that take no time
    at_once.Note(1 << 20, 0);
    EXPECT_GT(at_once.rate(), 0);
}

}  // namespace
}  // namespace zarr
