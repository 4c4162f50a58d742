// SPDX-License-Identifier: MIT
#include "core/base/limits.h"

#include <gtest/gtest.h>

#include <set>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/dim_vector.h"

namespace zarr::test {

namespace {

TEST(Limits, FollowTheEnumerationAndHaveUniqueNames) {
    std::set<std::string_view> names;
    for (std::size_t i = 0; i < Limits().size(); ++i) {
        const LimitInfo& info = Limits()[i];
        EXPECT_EQ(static_cast<std::size_t>(info.limit), i);
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_EQ(info.name.substr(0, 9), "ZARR_MAX_");
        EXPECT_LE(info.preset, info.largest) << info.name;
        EXPECT_EQ(LimitOf(info.limit), info.preset) << info.name;
    }
}

TEST(Limits, AreSetToAtMostTheMaximum) {
    for (const LimitInfo& info : Limits()) {
        const ScopedLimit small(info.limit, 1);
        EXPECT_EQ(LimitOf(info.limit), 1U);
        const ScopedLimit large(info.limit, UINT64_MAX);
        EXPECT_EQ(LimitOf(info.limit), info.largest) << info.name;
    }
}

TEST(Limits, OfDimensionsFitIntoDimVector) {
    const ScopedLimit large(Limit::kDimensions, UINT64_MAX);
    EXPECT_LE(LimitOf(Limit::kDimensions), DimVector<std::uint64_t>::kCapacity);
}

TEST(Limits, ErrorsNameTheOptionAndItsValue) {
    const ScopedLimit limit(Limit::kChunkSize, 1000);
    EXPECT_TRUE(Fails(OverLimit(Limit::kChunkSize, "the chunk has 2000 bytes"), StatusCode::kLimit,
                      "the chunk has 2000 bytes; ZARR_MAX_CHUNK_SIZE allows 1000"));
}

}  // namespace

}  // namespace zarr::test
