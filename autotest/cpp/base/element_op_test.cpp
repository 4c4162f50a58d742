// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <numeric>
#include <vector>

#include "core/base/row_converter.h"

namespace zarr {
namespace {

// Runs `op` on rows of elements of `size` bytes, with several strides. Each destination element
// must equal its source element, with the bytes of each unit of `unit` bytes reversed.
void Check(const Converter& op, std::size_t size, std::size_t unit) {
    constexpr std::size_t kMiddle = 3000;
    constexpr std::ptrdiff_t kCount = 37;
    const auto n = static_cast<std::ptrdiff_t>(size);
    for (const std::ptrdiff_t dst_stride : {n, n + 1, -n, -2 * n}) {
        for (const std::ptrdiff_t src_stride : {n, 3 * n, -n, std::ptrdiff_t{0}}) {
            std::vector<std::uint8_t> src(2 * kMiddle);
            for (std::size_t i = 0; i < src.size(); ++i)
                src[i] = static_cast<std::uint8_t>(i * 31 + i / 256);
            std::vector<std::uint8_t> dst(2 * kMiddle, 0xcc);
            std::vector<std::uint8_t> expected = dst;
            for (std::ptrdiff_t i = 0; i < kCount; ++i)
                for (std::size_t j = 0; j < size; ++j)
                    expected[static_cast<std::size_t>(kMiddle + i * dst_stride) + j] =
                        src[static_cast<std::size_t>(kMiddle + i * src_stride) + j / unit * unit +
                            (unit - 1 - j % unit)];
            op.row(op, dst.data() + kMiddle, dst_stride, src.data() + kMiddle, src_stride, kCount);
            ASSERT_EQ(dst, expected) << size << ": " << dst_stride << ", " << src_stride;
        }
    }
}

TEST(Converter, CopiesElementsOfAnySize) {
    for (std::size_t size = 1; size <= 17; ++size) {
        const Converter op = CopyConverter(size);
        EXPECT_TRUE(op.is_copy);
        EXPECT_EQ(op.dst_size, size);
        EXPECT_EQ(op.src_size, size);
        Check(op, size, 1);
    }
}

TEST(Converter, StreamsElementsOfAnySize) {
    for (std::size_t size = 1; size <= 17; ++size) Check(StreamedCopyConverter(size), size, 1);
}

TEST(Converter, CopiesElementsOfSizeZero) {
    for (const Converter& op : {CopyConverter(0), StreamedCopyConverter(0)}) {
        std::uint8_t byte = 5;
        const std::uint8_t other = 6;
        op.row(op, &byte, 0, &other, 0, 10);
        op.row(op, &byte, 1, &other, 1, 1);
        EXPECT_EQ(byte, 5);
    }
}

TEST(Converter, SwapsEachUnit) {
    const std::pair<std::size_t, std::size_t> cases[] = {{2, 2}, {4, 4},  {8, 8},  {16, 16},
                                                         {8, 4}, {16, 8}, {12, 4}, {20, 4}};
    for (const auto& [size, unit] : cases) {
        const Converter op = SwapConverter(size, unit);
        EXPECT_FALSE(op.is_copy);
        EXPECT_EQ(op.dst_size, size);
        Check(op, size, unit);
    }
}

}  // namespace
}  // namespace zarr
