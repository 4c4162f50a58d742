// SPDX-License-Identifier: MIT
#include "core/grid/chunk_key.h"

#include <gtest/gtest.h>

namespace zarr {
namespace {

TEST(ChunkKey, JoinsPathAndIndices) {
    EXPECT_EQ(ChunkKey("", {}, '.'), "0");
    EXPECT_EQ(ChunkKey("a/b", {}, '/'), "a/b/0");
    EXPECT_EQ(ChunkKey("", {7}, '.'), "7");
    EXPECT_EQ(ChunkKey("dem", {3, 0, 12}, '.'), "dem/3.0.12");
    EXPECT_EQ(ChunkKey("a/dem", {3, 0, 12}, '/'), "a/dem/3/0/12");
    EXPECT_EQ(ChunkKey("", {18446744073709551615U, 1}, '.'), "18446744073709551615.1");
}

TEST(ChunkText, IsForMessages) {
    EXPECT_EQ(ChunkText({}), "[]");
    EXPECT_EQ(ChunkText({3, 4}), "[3, 4]");
}

}  // namespace
}  // namespace zarr
