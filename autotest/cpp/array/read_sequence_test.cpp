// SPDX-License-Identifier: MIT
#include "core/array/read_sequence.h"

#include <string>
#include <vector>

#include "autotest/cpp/support/region.h"

namespace zarr {
namespace {

using test::Box;

std::string Text(const std::vector<Region>& regions) {
    std::string text;
    for (const Region& region : regions) {
        for (std::size_t i = 0; i < region.start.size(); ++i)
            text += (i == 0 ? "" : ",") + std::to_string(region.start[i]) + "+" +
                    std::to_string(region.count[i]);
        text += " ";
    }
    return text;
}

TEST(ReadSequence, PredictsAfterTwoEqualSteps) {
    ReadSequence bands;
    const std::vector<std::uint64_t> shape = {6, 10, 10};
    EXPECT_FALSE(bands.Note(Box({0, 0, 0}, {1, 10, 10})));
    EXPECT_FALSE(bands.Note(Box({1, 0, 0}, {1, 10, 10})));
    EXPECT_EQ(Text(bands.Next(9, shape)), "");
    EXPECT_TRUE(bands.Note(Box({2, 0, 0}, {1, 10, 10})));
    EXPECT_EQ(Text(bands.Next(2, shape)), "3+1,0+10,0+10 4+1,0+10,0+10 ");
    EXPECT_EQ(bands.Next(9, shape).size(), 3U);             // only three more bands exist
    EXPECT_FALSE(bands.Note(Box({2, 0, 0}, {1, 10, 10})));  // repeats the last region
    EXPECT_TRUE(bands.Note(Box({3, 0, 0}, {1, 10, 10})));
}

TEST(ReadSequence, GoesBackwardsAndOverlaps) {
    ReadSequence pan;
    for (const std::uint64_t x : {80, 60, 40}) pan.Note(Box({0, x}, {40, 40}));
    EXPECT_EQ(Text(pan.Next(9, {100, 100})), "0+40,20+40 0+40,0+40 ");
}

TEST(ReadSequence, CutsOffAtTheEndOfTheArray) {
    ReadSequence row;
    for (const std::uint64_t x : {0, 40, 80}) row.Note(Box({0, x}, {40, 40}));
    EXPECT_EQ(Text(row.Next(9, {100, 130})), "0+40,120+10 ");
}

TEST(ReadSequence, LearnsRowsOfBlocks) {
    ReadSequence blocks;
    const std::vector<std::uint64_t> shape = {100, 100};
    for (const std::uint64_t x : {0, 40}) blocks.Note(Box({0, x}, {40, 40}));
    // The block at the edge of the array is narrower.
    EXPECT_TRUE(blocks.Note(Box({0, 80}, {40, 20})));
    EXPECT_EQ(Text(blocks.Next(9, shape)), "");  // the position of the next row is not known yet
    // This block may start the next row of blocks, but one block does not make a sequence yet.
    EXPECT_FALSE(blocks.Note(Box({40, 0}, {40, 40})));
    EXPECT_TRUE(blocks.Note(Box({40, 40}, {40, 40})));
    EXPECT_EQ(Text(blocks.Next(9, shape)), "40+40,80+20 80+20,0+40 80+20,40+40 80+20,80+20 ");
    EXPECT_TRUE(blocks.Note(Box({40, 80}, {40, 20})));
    EXPECT_TRUE(blocks.Note(Box({80, 0}, {20, 40})));
}

TEST(ReadSequence, RandomReadsFormNoSequence) {
    ReadSequence random;
    for (const std::uint64_t x : {7, 90, 3, 44, 61, 60, 2, 80, 9, 33})
        EXPECT_FALSE(random.Note(Box({x, (x * 31) % 97}, {5, 5}))) << x;
    // A sequence needs windows of one size, but the windows of the loop grow.
    for (const std::uint64_t n : {1, 2, 3, 4, 5}) EXPECT_FALSE(random.Note(Box({n, 0}, {n, n})));
}

TEST(ReadSequence, ForgetsASequenceThatEnds) {
    ReadSequence bands;
    for (const std::uint64_t z : {0, 1, 2, 3}) bands.Note(Box({z, 0}, {1, 9}));
    EXPECT_FALSE(bands.Note(Box({17, 0}, {1, 9})));
    EXPECT_FALSE(bands.Note(Box({11, 0}, {1, 9})));
    EXPECT_EQ(Text(bands.Next(9, {100, 9})), "");
    for (const std::uint64_t z : {50, 51}) bands.Note(Box({z, 0}, {1, 9}));
    EXPECT_TRUE(bands.Note(Box({52, 0}, {1, 9})));
}

}  // namespace
}  // namespace zarr
