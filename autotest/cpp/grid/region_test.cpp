// SPDX-License-Identifier: MIT
#include "core/grid/region.h"

#include <cstdint>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Fails;
using test::Succeeds;

constexpr auto kMax = static_cast<std::uint64_t>(INT64_MAX);

Status Check(std::uint64_t size, std::uint64_t start, std::uint64_t count, std::int64_t step) {
    Region region;
    region.start = {start};
    region.count = {count};
    region.step = {step};
    return region.Check({size});
}

TEST(Region, AcceptsRegionsInside) {
    for (std::uint64_t size = 0; size <= 6; ++size)
        for (std::uint64_t start = 0; start <= 7; ++start)
            for (std::uint64_t count = 0; count <= 8; ++count)
                for (std::int64_t step = -4; step <= 4; ++step) {
                    if (step == 0) continue;
                    bool inside = true;
                    for (std::int64_t i = 0; i < static_cast<std::int64_t>(count); ++i) {
                        const std::int64_t at = static_cast<std::int64_t>(start) + i * step;
                        inside = inside && at >= 0 && at < static_cast<std::int64_t>(size);
                    }
                    const Status status = Check(size, start, count, step);
                    ASSERT_EQ(status.ok(), inside)
                        << size << " " << start << " " << count << " " << step;
                }
}

TEST(Region, AcceptsTheLargestRegions) {
    EXPECT_TRUE(Succeeds(Check(kMax, 0, kMax, 1)));
    EXPECT_TRUE(Succeeds(Check(kMax, kMax - 1, kMax, -1)));
    EXPECT_TRUE(Succeeds(Check(kMax, 0, 2, INT64_MAX - 1)));
    EXPECT_TRUE(Succeeds(Check(kMax, kMax - 1, 1, INT64_MIN)));
    const Status bad[] = {Check(kMax, 0, kMax + 1, 1),
                          Check(kMax, 1, kMax, 1),
                          Check(kMax, kMax - 1, kMax + 1, -1),
                          Check(kMax, 0, 2, INT64_MAX),
                          Check(kMax, kMax - 1, 2, INT64_MIN),
                          Check(kMax, 0, UINT64_MAX, INT64_MAX),
                          Check(kMax, UINT64_MAX, 1, 1),
                          Check(kMax, UINT64_MAX, 2, 1),
                          Check(kMax, kMax - 1, UINT64_MAX, INT64_MIN),
                          Check(kMax, 3, UINT64_MAX / 2 + 2, 2),
                          Check(5, 0, 1, 0),
                          Check(5, 0, 2, 0)};
    for (const Status& status : bad)
        EXPECT_TRUE(Fails(status, StatusCode::kInvalidArgument, "exceeds dimension 0, which has "));
}

TEST(Region, ErrorsNameTheDimension) {
    Region region = Region::All({4, 5, 6});
    region.count[2] = 7;
    EXPECT_TRUE(Fails(region.Check({4, 5, 6}), StatusCode::kInvalidArgument,
                      "exceeds dimension 2, which has 6 elements"));
    EXPECT_TRUE(Fails(region.Check({4, 5}), StatusCode::kInvalidArgument, "number of dimensions"));
    region.step = {1, 1};
    EXPECT_TRUE(Fails(region.Check({4, 5, 7}), StatusCode::kInvalidArgument, "number of dim"));
}

TEST(Region, AllIsEverything) {
    const Region region = Region::All({4, 5});
    EXPECT_TRUE(Succeeds(region.Check({4, 5})));
    EXPECT_EQ(region.size(), 20U);
    EXPECT_EQ(Region::All({}).size(), 1U);
    EXPECT_TRUE(Succeeds(Region::All({}).Check({})));
    EXPECT_EQ(Region::All({3, 0}).size(), 0U);
    EXPECT_TRUE(Succeeds(Region::All({3, 0}).Check({3, 0})));
}

}  // namespace
}  // namespace zarr
