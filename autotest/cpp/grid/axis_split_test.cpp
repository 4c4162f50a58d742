// SPDX-License-Identifier: MIT
#include <cstdint>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/grid/region.h"

namespace zarr {
namespace {

using test::Random;

// Splits a range of an axis into one piece for each chunk. Expects the pieces that result from
// visiting each element.
void CheckSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, std::uint64_t chunk) {
    std::vector<AxisPiece> expected;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t element = start + i * static_cast<std::uint64_t>(step);
        if (expected.empty() || expected.back().chunk != element / chunk)
            expected.push_back({element / chunk, i, 0, element % chunk});
        ++expected.back().count;
    }
    const AxisSplit split(start, count, step, chunk);
    SCOPED_TRACE(std::to_string(start) + " + " + std::to_string(count) + " * " +
                 std::to_string(step) + " in " + std::to_string(chunk));
    ASSERT_EQ(split.pieces(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const AxisPiece piece = split.At(i);
        ASSERT_EQ(piece.chunk, expected[i].chunk) << i;
        ASSERT_EQ(piece.first, expected[i].first) << i;
        ASSERT_EQ(piece.count, expected[i].count) << i;
        ASSERT_EQ(piece.offset, expected[i].offset) << i;
    }
}

// Returns a random first index for `count` elements with step `step`. No element has a negative
// index. `slack` is the number of possible results.
std::uint64_t Start(Random& random, std::uint64_t count, std::int64_t step, std::uint64_t slack) {
    const auto reach = step < 0 ? (count - 1) * static_cast<std::uint64_t>(-step) : 0;
    return reach + random.Below(slack);
}

TEST(AxisSplit, EverySmallCase) {
    for (std::uint64_t chunk = 1; chunk <= 6; ++chunk)
        for (std::int64_t step = -8; step <= 8; ++step)
            for (std::uint64_t count = 1; step != 0 && count <= 9; ++count)
                for (std::uint64_t slack = 0; slack < 8; ++slack) {
                    const auto reach =
                        step < 0 ? (count - 1) * static_cast<std::uint64_t>(-step) : 0;
                    CheckSplit(reach + slack, count, step, chunk);
                }
}

TEST(AxisSplit, RandomCases) {
    Random random(6);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t count = 1 + random.Below(200);
        const std::uint64_t chunk = 1 + random.Below(random.Chance() ? 10 : 300);
        std::int64_t step = random.Between(1, random.Chance() ? 3 : 400);
        if (random.Below(4) == 0) step = static_cast<std::int64_t>(chunk);
        if (random.Chance()) step = -step;
        CheckSplit(Start(random, count, step, 500), count, step, chunk);
    }
}

TEST(AxisSplit, HugeDimensions) {
    // Index of the last element in a dimension of 2^63 - 1 elements.
    constexpr auto kLast = static_cast<std::uint64_t>(INT64_MAX) - 1;
    CheckSplit(kLast - 9, 10, 1, std::uint64_t{1} << 62);
    CheckSplit(kLast, 10, -1, INT64_MAX);
    CheckSplit(kLast, 3, -(INT64_MAX / 2), 7);
    CheckSplit(0, 2, INT64_MAX - 1, 1000);
    CheckSplit(kLast, 2, -(INT64_MAX - 1), 1000);
    CheckSplit(std::uint64_t{1} << 63, 2, INT64_MIN, std::uint64_t{1} << 62);
    const AxisSplit whole(0, INT64_MAX, 1, 1000);
    EXPECT_EQ(whole.pieces(), static_cast<std::uint64_t>(INT64_MAX) / 1000 + 1);
    const AxisPiece last = whole.At(whole.pieces() - 1);
    EXPECT_EQ(last.first + last.count, static_cast<std::uint64_t>(INT64_MAX));
    const AxisSplit backwards(kLast, INT64_MAX, -1, 1000);
    EXPECT_EQ(backwards.At(backwards.pieces() - 1).count, 1000U);
    EXPECT_EQ(backwards.At(0).count, static_cast<std::uint64_t>(INT64_MAX) % 1000);
}

}  // namespace
}  // namespace zarr
