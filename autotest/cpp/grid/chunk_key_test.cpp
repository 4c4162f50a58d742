// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "core/grid/chunk_grid.h"

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

TEST(ParseChunkName, ReadsWhatChunkKeyWrites) {
    using Dims = DimVector<std::uint64_t>;
    for (const char separator : {'.', '/'})
        for (const Dims& chunk :
             {Dims{}, Dims{7}, Dims{0, 12}, Dims{3, 0, 18446744073709551615U}}) {
            const std::string name = ChunkKey("", chunk, separator);
            const auto parsed = ParseChunkName(name, chunk.size(), separator);
            ASSERT_TRUE(parsed) << name;
            EXPECT_EQ(ChunkText(*parsed), ChunkText(chunk));
        }
}

TEST(ParseChunkName, RefusesOtherNames) {
    for (const char* name : {"", "1", "1.", ".1", "1.2.3", "1/2", "01.2", "1.02", "1.-2", "1.2x",
                             "x.2", "1.18446744073709551616", ".zarray", "1..2", "1. 2", "+1.2"})
        EXPECT_FALSE(ParseChunkName(name, 2, '.')) << name;
    EXPECT_FALSE(ParseChunkName("1", 0, '.'));
    EXPECT_FALSE(ParseChunkName("", 0, '.'));
    EXPECT_FALSE(ParseChunkName("", 1, '.'));
}

TEST(ChunkText, IsForMessages) {
    EXPECT_EQ(ChunkText({}), "[]");
    EXPECT_EQ(ChunkText({3, 4}), "[3, 4]");
}

TEST(LooksLikeChunk, AcceptsNumbersSeparatedByDots) {
    for (const char* name : {"0", "12", "0.0", "12.3.45"})
        EXPECT_TRUE(LooksLikeChunk(name)) << name;
    for (const char* name : {"", ".", "1.", ".1", "1..2", "a", "1a", "-1", ".zarray", "1.x"})
        EXPECT_FALSE(LooksLikeChunk(name)) << name;
}

}  // namespace
}  // namespace zarr
