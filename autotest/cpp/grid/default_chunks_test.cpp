// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "core/grid/chunk_grid.h"

namespace zarr::test {
namespace {

using Shape = std::vector<std::uint64_t>;

TEST(DefaultChunks, AreWholeSmallArrays) {
    EXPECT_EQ(DefaultChunks({}, 8), Shape{});
    EXPECT_EQ(DefaultChunks({5, 7}, 8), (Shape{5, 7}));
    EXPECT_EQ(DefaultChunks({1 << 19}, 8), Shape{1 << 19});
    EXPECT_EQ(DefaultChunks({0, 7}, 8), (Shape{1, 7}));
}

TEST(DefaultChunks, HalveTheLongestSides) {
    EXPECT_EQ(DefaultChunks({(1 << 19) + 1}, 8), Shape{(1 << 18) + 1});
    EXPECT_EQ(DefaultChunks({4096, 4096}, 1), (Shape{2048, 2048}));
    EXPECT_EQ(DefaultChunks({3, 1 << 20, 2}, 1), (Shape{3, 1 << 19, 2}));
}

TEST(DefaultChunks, AreFoundForAnyShape) {
    const Shape huge(32, UINT64_MAX);
    const Shape chunks = DefaultChunks(huge, 8);
    double bytes = 8;
    for (const std::uint64_t size : chunks) bytes *= static_cast<double>(size);
    EXPECT_LE(bytes, kDefaultChunkBytes);
    EXPECT_GE(bytes, kDefaultChunkBytes / 4);
    EXPECT_EQ(DefaultChunks({9, 9}, std::size_t{1} << 30), (Shape{1, 1})) << "one element each";
}

TEST(DefaultShard, IsNotLargerThanTheArrayNeeds) {
    EXPECT_EQ(DefaultShard({}, {}, 8), Shape{});
    EXPECT_EQ(DefaultShard({5, 7}, {5, 7}, 8), (Shape{5, 7}));
    EXPECT_EQ(DefaultShard({100, 100}, {10, 30}, 1), (Shape{160, 120}));
}

TEST(DefaultShard, GrowsAlongTheLastTwoDimensionsFirst) {
    EXPECT_EQ(DefaultShard({1 << 20, 1 << 20}, {256, 256}, 1), (Shape{8192, 8192}));
    EXPECT_EQ(DefaultShard({9, 1 << 20, 1 << 20}, {1, 256, 256}, 1), (Shape{1, 8192, 8192}));
    EXPECT_EQ(DefaultShard({9, 512, 512}, {1, 256, 256}, 1), (Shape{16, 512, 512}));
}

TEST(DefaultShard, IsOneChunkIfTwoTakeTooManyBytes) {
    EXPECT_EQ(DefaultShard({1 << 20, 1 << 20}, {8192, 8192}, 1), (Shape{8192, 8192}));
    EXPECT_EQ(DefaultShard({100}, {10}, UINT64_MAX), Shape{10});
}

}  // namespace
}  // namespace zarr::test
