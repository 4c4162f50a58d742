// SPDX-License-Identifier: MIT
#include "core/grid/copy.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Random;

using Counts = DimVector<std::uint64_t>;

// Memory layout of a block. The dimensions have random order; some have negative strides, some have
// gaps.
struct Layout {
    Strides strides;
    std::size_t first = 0;  // offset of the first element in bytes
    std::size_t size = 0;
};

Layout RandomLayout(Random& random, const Counts& count, std::size_t element) {
    std::vector<std::size_t> order(count.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
    Layout layout;
    layout.strides = Strides(count.size());
    std::size_t stride = element + (random.Chance() ? random.Below(3) : 0);
    for (const std::size_t axis : order) {
        const bool backwards = random.Below(4) == 0;
        const auto signed_stride = static_cast<std::ptrdiff_t>(stride);
        layout.strides[axis] = backwards ? -signed_stride : signed_stride;
        if (backwards) layout.first += stride * (std::max<std::size_t>(count[axis], 1) - 1);
        stride = stride * std::max<std::size_t>(count[axis], 1);
        if (random.Below(3) == 0) stride += random.Below(2 * element);
    }
    layout.size = stride;
    return layout;
}

// Calls each(offset_a, offset_b) for every element of the block, with its offsets in the two
// layouts.
template <class Each>
void ForEach(const Counts& count, const Strides& a, const Strides& b, Each each) {
    std::uint64_t total = 1;
    for (const std::uint64_t n : count) total *= n;
    for (std::uint64_t index = 0; index < total; ++index) {
        std::ptrdiff_t at_a = 0;
        std::ptrdiff_t at_b = 0;
        std::uint64_t rest = index;
        for (std::size_t i = count.size(); i-- > 0; rest /= count[i]) {
            const auto at = static_cast<std::ptrdiff_t>(rest % count[i]);
            at_a += at * a[i];
            at_b += at * b[i];
        }
        each(at_a, at_b);
    }
}

Counts RandomCounts(Random& random) {
    Counts count;
    const std::uint64_t rank = random.Below(6);
    // A transposition copies the block in tiles. Some blocks have a dimension longer than a tile.
    for (std::uint64_t i = 0; i < rank; ++i)
        count.push_back(random.Below(12) == 0 ? random.Below(2) : 1 + random.Below(6));
    if (rank > 0 && rank <= 3) count[random.Below(rank)] = 1 + random.Below(80);
    return count;
}

void CheckOne(Random& random, const Counts& count, const Converter& op) {
    const std::size_t size = op.dst_size;
    const std::size_t unit = op.unit;
    const Layout to = RandomLayout(random, count, size);
    const Layout from = RandomLayout(random, count, size);
    const std::string text = random.Bytes(from.size);
    const std::vector<std::uint8_t> src(text.begin(), text.end());
    std::vector<std::uint8_t> dst(to.size, 0xcc);
    std::vector<std::uint8_t> expected = dst;
    ForEach(count, to.strides, from.strides, [&](std::ptrdiff_t d, std::ptrdiff_t s) {
        for (std::size_t j = 0; j < size; ++j)
            expected[to.first + static_cast<std::size_t>(d) + j] =
                src[from.first + static_cast<std::size_t>(s) + j / unit * unit + unit - 1 -
                    j % unit];
    });
    CopyBlock(count, dst.data() + to.first, to.strides, src.data() + from.first, from.strides, op);
    ASSERT_EQ(dst, expected) << "rank " << count.size() << ", elements of " << size;
}

TEST(CopyBlock, RandomBlocks) {
    Random random(7);
    for (int i = 0; i < 6000; ++i)
        CheckOne(random, RandomCounts(random), CopyConverter(1 + random.Below(17)));
}

TEST(CopyBlock, RandomBlocksStreamed) {
    Random random(11);
    for (int i = 0; i < 3000; ++i)
        CheckOne(random, RandomCounts(random), StreamedCopyConverter(1 + random.Below(17)));
}

TEST(CopyBlock, RandomBlocksSwapped) {
    Random random(8);
    const std::pair<std::size_t, std::size_t> ops[] = {{2, 2}, {4, 4}, {8, 8}, {16, 8}, {12, 4}};
    for (int i = 0; i < 2000; ++i) {
        const auto [size, unit] = ops[random.Below(5)];
        CheckOne(random, RandomCounts(random), SwapConverter(size, unit));
    }
}

TEST(CopyBlock, LargeTranspositions) {
    Random random(9);
    for (const std::size_t size : {1U, 2U, 4U, 8U, 16U, 3U}) {
        const Counts count{97, 3, 130};
        for (int i = 0; i < 4; ++i) CheckOne(random, count, CopyConverter(size));
        const Strides row_major = ContiguousStrides(count, size, false);
        const Strides column_major = ContiguousStrides(count, size, true);
        const std::string src = random.Bytes(97 * 3 * 130 * size);
        std::string dst(src.size(), '\0');
        std::string back(src.size(), '\0');
        const auto bytes = [](std::string& s) { return reinterpret_cast<std::uint8_t*>(s.data()); };
        CopyBlock(count, bytes(dst), column_major,
                  reinterpret_cast<const std::uint8_t*>(src.data()), row_major,
                  CopyConverter(size));
        CopyBlock(count, bytes(back), row_major, bytes(dst), column_major, CopyConverter(size));
        EXPECT_EQ(back, src);
        EXPECT_NE(dst, src);
    }
}

// Blocks of 2 MiB or more are split, and several threads copy the parts.
TEST(CopyBlock, LargeBlocksOnSeveralThreads) {
    Random random(10);
    for (const Counts& count : {Counts{1100000}, Counts{3, 700, 500}, Counts{600000, 2},
                                Counts{1, 1, 5, 1, 300000}, Counts{0, 1000000}}) {
        const Converter op = random.Chance() ? SwapConverter(4, 4) : StreamedCopyConverter(4);
        const Layout to = RandomLayout(random, count, op.dst_size);
        const Layout from = RandomLayout(random, count, op.dst_size);
        const std::string text = random.Bytes(1009);
        std::vector<std::uint8_t> src(from.size);
        for (std::size_t i = 0; i < src.size(); ++i)
            src[i] = static_cast<std::uint8_t>(text[i % text.size()]);
        std::vector<std::uint8_t> expected(to.size, 0xcc);
        CopyBlock(count, expected.data() + to.first, to.strides, src.data() + from.first,
                  from.strides, op);
        for (const std::size_t threads : {0U, 1U, 2U, 5U}) {
            std::vector<std::uint8_t> dst(to.size, 0xcc);
            CopyBlockOn(threads, count, dst.data() + to.first, to.strides, src.data() + from.first,
                        from.strides, op);
            ASSERT_TRUE(dst == expected) << count.size() << ", " << threads << " threads";
        }
    }
}

TEST(CopyBlock, CopiesNothingOfAnEmptyBlock) {
    std::uint8_t dst = 1;
    const std::uint8_t src = 2;
    CopyBlock({3, 0, 2}, &dst, {0, 1, 1}, &src, {0, 1, 1}, CopyConverter(1));
    EXPECT_EQ(dst, 1);
}

TEST(CopyBlock, CopiesOneElementWithoutDimensions) {
    std::uint8_t dst[] = {1, 1};
    const std::uint8_t src[] = {2, 3};
    CopyBlock({}, dst, {}, src, {}, CopyConverter(1));
    EXPECT_EQ(dst[0], 2);
    EXPECT_EQ(dst[1], 1);
}

TEST(CopyBlock, CopiesThirtyTwoDimensions) {
    Counts count(32, 1);
    count[0] = count[15] = count[31] = 3;
    Strides dst_strides(32, 1000);
    Strides src_strides(32, -7);
    const std::ptrdiff_t places[] = {9, 1, 3};
    for (std::size_t i = 0; i < 3; ++i) {
        dst_strides[i == 0 ? 0 : i == 1 ? 15 : 31] = places[i];
        src_strides[i == 0 ? 0 : i == 1 ? 15 : 31] = places[2 - i];
    }
    std::vector<std::uint8_t> src(27);
    std::iota(src.begin(), src.end(), std::uint8_t{0});
    std::vector<std::uint8_t> dst(27, 0xcc);
    std::vector<std::uint8_t> expected = dst;
    ForEach({3, 3, 3}, {9, 1, 3}, {3, 1, 9}, [&](std::ptrdiff_t d, std::ptrdiff_t s) {
        expected[static_cast<std::size_t>(d)] = src[static_cast<std::size_t>(s)];
    });
    CopyBlock(count, dst.data(), dst_strides, src.data(), src_strides, CopyConverter(1));
    EXPECT_EQ(dst, expected);
}

TEST(FillBlock, RandomBlocks) {
    Random random(10);
    for (int i = 0; i < 2000; ++i) {
        const Counts count = RandomCounts(random);
        const std::size_t size = 2 * (1 + random.Below(8));
        const Layout to = RandomLayout(random, count, size);
        const std::string value = random.Bytes(size);
        std::vector<std::uint8_t> dst(to.size, 0xcc);
        std::vector<std::uint8_t> expected = dst;
        ForEach(count, to.strides, to.strides, [&](std::ptrdiff_t d, std::ptrdiff_t) {
            for (std::size_t j = 0; j < size; ++j)
                expected[to.first + static_cast<std::size_t>(d) + j] =
                    static_cast<std::uint8_t>(value[j ^ 1U]);
        });
        FillBlock(count, dst.data() + to.first, to.strides,
                  reinterpret_cast<const std::uint8_t*>(value.data()), SwapConverter(size, 2));
        ASSERT_EQ(dst, expected);
    }
}

TEST(ContiguousStrides, AreRowOrColumnMajor) {
    const auto list = [](const Strides& strides) {
        return std::vector<std::ptrdiff_t>(strides.begin(), strides.end());
    };
    EXPECT_EQ(list(ContiguousStrides({2, 3, 5}, 4, false)),
              (std::vector<std::ptrdiff_t>{60, 20, 4}));
    EXPECT_EQ(list(ContiguousStrides({2, 3, 5}, 4, true)), (std::vector<std::ptrdiff_t>{4, 8, 24}));
    EXPECT_TRUE(ContiguousStrides({}, 4, false).empty());
}

}  // namespace
}  // namespace zarr
