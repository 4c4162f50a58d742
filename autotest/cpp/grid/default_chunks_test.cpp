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

}  // namespace
}  // namespace zarr::test
