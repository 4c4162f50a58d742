// SPDX-License-Identifier: MIT
#include "core/array/region_groups.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <vector>

namespace zarr {
namespace {

// A region that covers 3 x 5 chunks, from chunk (1, 1) on. A piece is the part of the region in one
// chunk.
class RegionGroupsTest : public testing::Test {
  protected:
    RegionGroupsTest() {
        region_.start = {2, 10};
        region_.count = {6, 50};
        region_.step = {1, 1};
    }

    // Groups the pieces of the region by the chunks of the coarser grid `axes`. Returns the numbers
    // of the pieces in each group.
    std::vector<std::vector<std::uint64_t>> Groups(const std::vector<GridAxis>& axes) const {
        const std::vector<GridAxis> grid{{20, 2}, {100, 10}};
        const Strides strides{50, 1};
        const RegionSplit split(grid, region_, strides);
        const RegionGroups groups(split, axes);
        std::vector<std::vector<std::uint64_t>> pieces;
        std::set<std::uint64_t> all;
        for (std::uint64_t group = 0; group < groups.count(); ++group) {
            pieces.emplace_back();
            for (std::uint64_t i = 0; i < groups.SizeOf(group); ++i) {
                pieces.back().push_back(groups.PieceAt(group, i));
                EXPECT_TRUE(all.insert(pieces.back().back()).second) << "in two groups";
            }
        }
        EXPECT_EQ(all.size(), split.pieces());
        return pieces;
    }

    Region region_;
};

using Pieces = std::vector<std::vector<std::uint64_t>>;

TEST_F(RegionGroupsTest, PiecesAreInTheGroupOfTheirChunk) {
    EXPECT_EQ(Groups({{10, 2}, {10, 4}}),
              (Pieces{{0, 1, 2}, {3, 4}, {5, 6, 7, 10, 11, 12}, {8, 9, 13, 14}}));
}

TEST_F(RegionGroupsTest, ALoneChunkIsAGroup) {
    const Pieces groups = Groups({});
    ASSERT_EQ(groups.size(), 15U);
    for (std::uint64_t i = 0; i < groups.size(); ++i)
        EXPECT_EQ(groups[static_cast<std::size_t>(i)], std::vector<std::uint64_t>{i});
}

}  // namespace
}  // namespace zarr
