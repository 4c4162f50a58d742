// SPDX-License-Identifier: MIT
#include "core/dtype/stored_converter.h"

#include <cstring>
#include <vector>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/base/row_converter.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Random;
using test::Succeeds;
using test::Type;

constexpr const char* kStruct = R"([["a", ">i2"], ["b", "<f8", [2]], ["c", "|S3"], ["d", ">U1"]])";

TEST(ReadOp, BringsEveryTypeIntoTheHostsOrder) {
    Random random(4);
    for (const std::string text :
         {"|i1", "|u1", "|S5", "|V7",  "<i2",  ">i2",    "<u4",    ">u4", "<f2", ">f2",  "<f8",
          ">f8", "<c8", ">c8", "<c16", ">c16", "<M8[s]", ">M8[s]", "<U3", ">U3", kStruct}) {
        const DataType type = Type(text);
        const auto op = ReadConverter(type, type.Native());
        ASSERT_TRUE(Succeeds(op)) << text;
        EXPECT_EQ(op->is_copy, !type.NeedsSwap()) << text;
        EXPECT_EQ(op->dst_size, type.size);
        EXPECT_EQ(op->src_size, type.size);
        constexpr std::size_t kCount = 13;
        const std::string stored = random.Bytes(kCount * type.size);
        std::string expected = stored;
        SwapElements(type, reinterpret_cast<std::uint8_t*>(expected.data()), kCount);
        const auto* src = reinterpret_cast<const std::uint8_t*>(stored.data());
        const auto size = static_cast<std::ptrdiff_t>(type.size);
        std::vector<std::uint8_t> dst(kCount * type.size);
        op->row(*op, dst.data(), size, src, size, kCount);
        EXPECT_EQ(std::string(dst.begin(), dst.end()), expected) << text;
        // Reads the source backwards and writes every second element of the destination.
        std::vector<std::uint8_t> wide(2 * kCount * type.size, 0xcc);
        op->row(*op, wide.data(), 2 * size, src + (kCount - 1) * type.size, -size, kCount);
        for (std::size_t i = 0; i < kCount; ++i)
            EXPECT_EQ(std::memcmp(wide.data() + 2 * i * type.size,
                                  expected.data() + (kCount - 1 - i) * type.size, type.size),
                      0)
                << text;
    }
}

TEST(ReadOp, MakesBooleansZeroOrOne) {
    const auto op = ReadConverter(Type("|b1"), Type("|b1"));
    ASSERT_TRUE(Succeeds(op));
    EXPECT_FALSE(op->is_copy);
    const std::uint8_t src[] = {0, 1, 2, 255, 0};
    std::uint8_t dst[5] = {9, 9, 9, 9, 9};
    op->row(*op, dst, 1, src, 1, 5);
    EXPECT_EQ(std::vector<int>(dst, dst + 5), (std::vector<int>{0, 1, 1, 1, 0}));
}

TEST(ReadOp, WidensInt8) {
    const auto op = ReadConverter(Type("|i1"), Type("<i2").Native());
    ASSERT_TRUE(Succeeds(op));
    EXPECT_FALSE(op->is_copy);
    std::vector<std::uint8_t> src(256);
    for (int i = 0; i < 256; ++i) src[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(i);
    std::vector<std::int16_t> dst(256);
    op->row(*op, reinterpret_cast<std::uint8_t*>(dst.data()), 2, src.data(), 1, 256);
    for (int i = 0; i < 256; ++i)
        EXPECT_EQ(dst[static_cast<std::size_t>(i)], i < 128 ? i : i - 256);
}

TEST(ReadOp, WidensHalves) {
    for (const char* text : {"<f2", ">f2"}) {
        const DataType type = Type(text);
        const auto op = ReadConverter(type, Type("<f4").Native());
        ASSERT_TRUE(Succeeds(op));
        std::vector<std::uint8_t> src(65536 * 2);
        for (std::size_t i = 0; i < 65536; ++i)
            StoreNative(src.data() + 2 * i, static_cast<std::uint16_t>(i));
        SwapElements(type, src.data(), 65536);
        std::vector<float> dst(65536);
        op->row(*op, reinterpret_cast<std::uint8_t*>(dst.data()), 4, src.data(), 2, 65536);
        for (std::size_t i = 0; i < 65536; ++i) {
            const float expected = HalfToFloat(static_cast<std::uint16_t>(i));
            ASSERT_EQ(std::memcmp(&dst[i], &expected, 4), 0) << text << " " << i;
        }
    }
}

TEST(ReadOp, RefusesAnyOtherPair) {
    const std::pair<const char*, const char*> pairs[] = {
        {"<i2", "<u2"},
        {"<i2", "<i4"},
        {"<f4", "<f8"},
        {"<f8", "<f4"},
        {"|i1", "<i4"},
        {"|u1", "<i2"},
        {"<f2", "<f8"},
        {"<i8", "<M8[s]"},
        {"<M8[s]", "<m8[s]"},
        {"<M8[s]", "<M8[D]"},
        {"<M8[s]", "<M8[2s]"},
        {"|S4", "|V4"},
        {"|S4", "|S5"},
        {"<U2", "|S8"},
        {"|b1", "|u1"},
        {"<c8", "<f4"},
        {kStruct, "|V25"},
        {R"([["a", "<i2"], ["b", "<i4"]])", R"([["a", "<i4"], ["b", "<i2"]])"}};
    for (const auto& [stored, target] : pairs)
        EXPECT_TRUE(Fails(ReadConverter(Type(stored), Type(target).Native()),
                          StatusCode::kInvalidArgument, "no conversion from dtype "))
            << stored << " " << target;
}

}  // namespace
}  // namespace zarr
