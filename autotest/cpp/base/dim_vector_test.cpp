// SPDX-License-Identifier: MIT
#include "core/base/dim_vector.h"

#include <gtest/gtest.h>

#include <numeric>

namespace zarr {
namespace {

TEST(DimVector, HoldsUpToThirtyTwo) {
    DimVector<int> dims;
    EXPECT_TRUE(dims.empty());
    EXPECT_EQ(dims.begin(), dims.end());
    for (int i = 0; i < 32; ++i) dims.push_back(i);
    EXPECT_EQ(dims.size(), 32U);
    EXPECT_EQ(std::accumulate(dims.begin(), dims.end(), 0), 31 * 16);
    const DimVector<int> copy = dims;
    dims[31] = 100;
    EXPECT_EQ(copy[31], 31);
}

TEST(DimVector, IsMadeFromSizesAndLists) {
    EXPECT_EQ(DimVector<int>(3).size(), 3U);
    EXPECT_EQ(DimVector<int>(3)[2], 0);
    EXPECT_EQ(DimVector<int>(2, 9)[1], 9);
    const DimVector<int> listed{4, 5, 6};
    EXPECT_EQ(listed.size(), 3U);
    EXPECT_EQ(listed[2], 6);
}

}  // namespace
}  // namespace zarr
