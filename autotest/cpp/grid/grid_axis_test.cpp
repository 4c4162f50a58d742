// SPDX-License-Identifier: MIT
#include "core/grid/grid_axis.h"

#include <algorithm>
#include <string>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/grid/region.h"

namespace zarr {
namespace {

using test::Random;

std::vector<std::uint64_t> RandomEnds(Random& random, std::uint64_t chunks, std::uint64_t most) {
    std::vector<std::uint64_t> ends;
    std::uint64_t end = 0;
    for (std::uint64_t i = 0; i < chunks; ++i) ends.push_back(end += 1 + random.Below(most));
    return ends;
}

TEST(GridAxis, ElementsAreInTheChunksWhoseEndsEnclose) {
    Random random(1);
    for (int i = 0; i < 200; ++i) {
        const auto ends = RandomEnds(random, 1 + random.Below(12), 1 + random.Below(9));
        const std::uint64_t length = random.Below(ends.back() + 1);
        const GridAxis axis(length, ends);
        std::uint64_t chunk = 0;
        std::uint64_t largest = ends[0];
        for (std::uint64_t element = 0; element < length; ++element) {
            if (element == ends[chunk]) ++chunk;
            const std::uint64_t start = chunk == 0 ? 0 : ends[chunk - 1];
            ASSERT_EQ(axis.ChunkOf(element), chunk);
            ASSERT_EQ(axis.StartOf(chunk), start);
            ASSERT_EQ(axis.SizeOf(chunk), ends[chunk] - start);
            ASSERT_EQ(axis.InsideOf(chunk), std::min(ends[chunk], length) - start);
            ASSERT_EQ(axis.WholeChunks(element + 1), ends[chunk]);
            largest = std::max(largest, ends[chunk] - start);
        }
        EXPECT_EQ(axis.count(), length == 0 ? 0 : chunk + 1);
        EXPECT_EQ(axis.WholeChunks(0), 0U);
        EXPECT_EQ(axis.LargestSize(), largest);
        EXPECT_EQ(axis.length(), length);
        EXPECT_FALSE(axis.is_regular());
    }
}

TEST(GridAxis, RegularAxisEqualsAxisWithEqualEnds) {
    for (std::uint64_t size = 1; size < 6; ++size) {
        for (std::uint64_t length = 0; length < 20; ++length) {
            std::vector<std::uint64_t> ends;
            while (ends.empty() || ends.back() < length)
                ends.push_back((ends.empty() ? 0 : ends.back()) + size);
            const GridAxis regular(length, size);
            const GridAxis same(length, ends);
            EXPECT_TRUE(regular.is_regular());
            ASSERT_EQ(regular.count(), same.count());
            EXPECT_EQ(regular.LargestSize(), same.LargestSize());
            for (std::uint64_t element = 0; element < length; ++element) {
                const std::uint64_t chunk = regular.ChunkOf(element);
                ASSERT_EQ(chunk, same.ChunkOf(element));
                ASSERT_EQ(regular.StartOf(chunk), same.StartOf(chunk));
                ASSERT_EQ(regular.SizeOf(chunk), same.SizeOf(chunk));
                ASSERT_EQ(regular.InsideOf(chunk), same.InsideOf(chunk));
                ASSERT_EQ(regular.WholeChunks(element), same.WholeChunks(element));
            }
        }
    }
}

// Splits a range of `axis` into one piece per chunk, and expects the same pieces as from visiting
// each element.
void CheckSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, const GridAxis& axis) {
    std::vector<AxisPiece> expected;
    std::uint64_t elements = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t element = start + i * static_cast<std::uint64_t>(step);
        const std::uint64_t chunk = axis.ChunkOf(element);
        if (expected.empty() || expected.back().chunk != chunk) {
            expected.push_back({chunk, i, 0, element - axis.StartOf(chunk)});
            elements += axis.SizeOf(chunk);
        }
        ++expected.back().count;
    }
    const AxisSplit split(start, count, step, axis);
    SCOPED_TRACE(std::to_string(start) + " + " + std::to_string(count) + " * " +
                 std::to_string(step));
    ASSERT_EQ(split.pieces(), expected.size());
    EXPECT_EQ(split.ChunkElements(), elements);
    for (std::size_t i = 0; i < expected.size(); ++i) {
        const AxisPiece piece = split.At(i);
        ASSERT_EQ(piece.chunk, expected[i].chunk) << i;
        ASSERT_EQ(piece.first, expected[i].first) << i;
        ASSERT_EQ(piece.count, expected[i].count) << i;
        ASSERT_EQ(piece.offset, expected[i].offset) << i;
    }
}

TEST(IrregularAxisSplit, EverySmallCase) {
    const std::vector<std::vector<std::uint64_t>> all = {
        {1}, {20}, {1, 2, 20}, {3, 4, 9, 10, 11, 20}, {7, 8, 14, 40}, {2, 4, 6, 7, 19, 21}};
    for (const auto& ends : all) {
        const std::uint64_t length = std::min<std::uint64_t>(ends.back(), 20);
        const GridAxis axis(length, ends);
        for (std::uint64_t start = 0; start < length; ++start)
            for (std::int64_t step = 1; step <= 9; ++step)
                for (std::uint64_t count = 1; count <= length; ++count) {
                    const std::uint64_t reach = (count - 1) * static_cast<std::uint64_t>(step);
                    if (start + reach < length) CheckSplit(start, count, step, axis);
                    if (start >= reach) CheckSplit(start, count, -step, axis);
                }
    }
}

TEST(IrregularAxisSplit, RandomCases) {
    Random random(2);
    for (int i = 0; i < 5000; ++i) {
        const auto ends = RandomEnds(random, 1 + random.Below(40), random.Chance() ? 5 : 60);
        const std::uint64_t length = 1 + random.Below(ends.back());
        const GridAxis axis(length, ends);
        const auto step = static_cast<std::uint64_t>(random.Between(1, random.Chance() ? 3 : 90));
        const std::uint64_t count = 1 + random.Below((length - 1) / step + 1);
        const std::uint64_t start = random.Below(length - (count - 1) * step);
        CheckSplit(start, count, static_cast<std::int64_t>(step), axis);
        CheckSplit(start + (count - 1) * step, count, -static_cast<std::int64_t>(step), axis);
    }
}

TEST(IrregularAxisSplit, HugeDimensions) {
    constexpr auto kLength = static_cast<std::uint64_t>(INT64_MAX);
    const std::vector<std::uint64_t> ends = {1, kLength - 10, kLength};
    const GridAxis axis(kLength, ends);
    const AxisSplit forwards(0, kLength, 1, axis);
    EXPECT_EQ(forwards.pieces(), 3U);
    EXPECT_EQ(forwards.At(1).count, kLength - 11);
    EXPECT_EQ(forwards.ChunkElements(), kLength);
    const AxisSplit backwards(kLength - 1, kLength, -1, axis);
    EXPECT_EQ(backwards.At(0).count, 10U);
    EXPECT_EQ(backwards.At(2).first, kLength - 1);
    CheckSplit(kLength - 1, 3, -(INT64_MAX / 2), axis);
    CheckSplit(0, 2, INT64_MAX - 1, axis);
}

}  // namespace
}  // namespace zarr
