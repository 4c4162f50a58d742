// SPDX-License-Identifier: MIT
// Tests of byte order conversions. The expected results do not depend on the byte order of the
// host.
#include "core/base/endian.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace zarr {
namespace {

TEST(Endian, LoadsAFixedOrderFromAnyAddress) {
    const std::uint8_t bytes[] = {0xee, 0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88};
    const std::uint8_t* p = bytes + 1;
    EXPECT_EQ(LoadLittle16(p), 0x8201U);
    EXPECT_EQ(LoadBig16(p), 0x0182U);
    EXPECT_EQ(LoadLittle32(p), 0x84038201U);
    EXPECT_EQ(LoadLittle64(p), 0x8807860584038201U);
    const std::uint8_t high[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    EXPECT_EQ(LoadLittle32(high), 0xffffffffU);
    EXPECT_EQ(LoadLittle64(high), ~std::uint64_t{0});
}

TEST(Endian, StoresLittle) {
    std::uint8_t bytes[6] = {0xaa, 0, 0, 0, 0, 0xaa};
    StoreLittle32(bytes + 1, 0xfeedbeefU);
    const std::uint8_t expected[6] = {0xaa, 0xef, 0xbe, 0xed, 0xfe, 0xaa};
    EXPECT_TRUE(std::equal(bytes, bytes + 6, expected));
    EXPECT_EQ(LoadLittle32(bytes + 1), 0xfeedbeefU);
}

TEST(Endian, HostOrderAgreesWithTheLoads) {
    const std::uint8_t bytes[] = {1, 2, 3, 4};
    EXPECT_EQ(LoadNative<std::uint32_t>(bytes) == LoadLittle32(bytes), HostIsLittleEndian());
    std::uint8_t copy[4];
    StoreNative(copy, LoadNative<std::uint32_t>(bytes));
    EXPECT_TRUE(std::equal(copy, copy + 4, bytes));
}

class Units : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, Units, testing::Values(1U, 2U, 4U, 8U, 16U));

TEST_P(Units, SwapInPlace) {
    const std::size_t unit = GetParam();
    for (std::size_t count : {0U, 1U, 3U, 33U}) {
        std::vector<std::uint8_t> data(1 + unit * count + 1);
        std::iota(data.begin(), data.end(), std::uint8_t{0});
        const std::vector<std::uint8_t> before = data;
        SwapUnits(data.data() + 1, unit, count);
        for (std::size_t i = 0; i < count; ++i)
            for (std::size_t j = 0; j < unit; ++j)
                ASSERT_EQ(data[1 + i * unit + j], before[1 + i * unit + unit - 1 - j]);
        EXPECT_EQ(data.front(), before.front());
        EXPECT_EQ(data.back(), before.back());
    }
}

TEST_P(Units, CopyWithStrides) {
    const auto unit = static_cast<std::ptrdiff_t>(GetParam());
    const std::ptrdiff_t count = 19;
    for (const std::ptrdiff_t dst_stride : {unit, unit + 3, -unit, -unit - 1}) {
        for (const std::ptrdiff_t src_stride : {unit, unit + 5, -unit - 2, std::ptrdiff_t{0}}) {
            std::vector<std::uint8_t> src(1024);
            std::iota(src.begin(), src.end(), std::uint8_t{7});
            std::vector<std::uint8_t> dst(1024, 0xcc);
            std::vector<std::uint8_t> expected = dst;
            for (std::ptrdiff_t i = 0; i < count; ++i)
                for (std::ptrdiff_t j = 0; j < unit; ++j)
                    expected[static_cast<std::size_t>(501 + i * dst_stride + j)] =
                        src[static_cast<std::size_t>(501 + i * src_stride + unit - 1 - j)];
            CopySwapped(dst.data() + 501, dst_stride, src.data() + 501, src_stride, GetParam(),
                        static_cast<std::size_t>(count));
            ASSERT_EQ(dst, expected) << dst_stride << " " << src_stride;
        }
    }
}

}  // namespace
}  // namespace zarr
