// SPDX-License-Identifier: MIT
#include <numeric>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/data_type.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using test::Type;

constexpr std::string_view kStation = R"([["id", "|u1"], ["name", "<U3"],
    ["position", [["lon", ">f8"], ["lat", ">f8"]], [2]], ["flags", "|V3"], [["Title", "count"], "<i2", [2, 3]]])";

TEST(StructType, LaysFieldsOutWithoutPadding) {
    const DataType type = Type(kStation);
    EXPECT_EQ(type.kind, DataKind::kStruct);
    EXPECT_EQ(type.size, 1U + 12 + 2 * 16 + 3 + 6 * 2);
    ASSERT_EQ(type.fields.size(), 5U);
    const std::size_t offsets[] = {0, 1, 13, 45, 48};
    const std::size_t counts[] = {1, 1, 2, 1, 6};
    const char* const names[] = {"id", "name", "position", "flags", "count"};
    for (std::size_t i = 0; i < 5; ++i) {
        EXPECT_EQ(type.fields[i].name, names[i]);
        EXPECT_EQ(type.fields[i].offset, offsets[i]);
        EXPECT_EQ(type.fields[i].count, counts[i]);
    }
    EXPECT_EQ(type.fields[4].shape, (std::vector<std::uint64_t>{2, 3}));
    const DataType& position = type.fields[2].type;
    EXPECT_EQ(position.kind, DataKind::kStruct);
    EXPECT_EQ(position.fields[1].offset, 8U);
    EXPECT_EQ(position.fields[1].type.order, ByteOrder::kBig);
}

TEST(StructType, SpellsItselfAsJson) {
    const DataType type = Type(kStation);
    EXPECT_EQ(type.ToString(),
              R"([["id", "|u1"], ["name", "<U3"], ["position", [["lon", ">f8"], ["lat", ">f8"]], )"
              R"([2]], ["flags", "|V3"], ["count", "<i2", [2, 3]]])");
    EXPECT_EQ(Type(type.ToString()).ToString(), type.ToString());
}

TEST(StructType, TakesSubarraysOfOneSizeOrNone) {
    EXPECT_EQ(Type(R"([["a", "<i4", 3]])").size, 12U);
    EXPECT_EQ(Type(R"([["a", "<i4", []]])").size, 4U);
    EXPECT_EQ(Type(R"([["a", "<i4", [2, 0, 5]], ["b", "|u1"]])").size, 1U);
}

TEST(StructType, SwapsWhereAFieldDoes) {
    EXPECT_TRUE(Type(R"([["a", "<i4"], ["b", [["c", ">i4"], ["d", "<i4"]]]])").NeedsSwap());
    EXPECT_FALSE(Type(R"([["a", "|S4"], ["b", "|u1"]])").NeedsSwap());
    const DataType native = Type(kStation).Native();
    EXPECT_FALSE(native.NeedsSwap());
    EXPECT_EQ(native.size, Type(kStation).size);
    EXPECT_EQ(native.fields[2].offset, 13U);
}

TEST(StructType, NamesWhatIsWrong) {
    EXPECT_TRUE(Fails(ParseDataType(Json("[]")), StatusCode::kCorrupt, "needs at least one field"));
    for (const char* text : {"[1]", "[\"<i4\"]", "[[]]", "[[\"a\"]]", "[[\"a\",\"<i4\",[1],[2]]]"})
        EXPECT_TRUE(Fails(ParseDataType(Json(text)), StatusCode::kCorrupt, "expected a field ["));
    for (const char* text : {"[[1,\"<i4\"]]", "[[[\"a\"],\"<i4\"]]", "[[[\"a\",1],\"<i4\"]]"})
        EXPECT_TRUE(Fails(ParseDataType(Json(text)), StatusCode::kCorrupt, "a field name")) << text;
    for (const char* text :
         {R"([["a","<i4",[-1]]])", R"([["a","<i4",["2"]]])", R"([["a","<i4",-1]])",
          R"([["a","<i4",null]])", R"([["a","<i4","2"]])"})
        EXPECT_TRUE(Fails(ParseDataType(Json(text)), StatusCode::kCorrupt, "shape")) << text;
    EXPECT_TRUE(Fails(ParseDataType(Json(R"([["a","|O"]])")), StatusCode::kUnsupported, "\"a\""));
    EXPECT_TRUE(Fails(ParseDataType(Json(R"([["a","<q9"]])")), StatusCode::kUnsupported, "<q9"));
    EXPECT_TRUE(Fails(ParseDataType(Json(R"([["a",7]])")), StatusCode::kCorrupt, "got 7"));
}

TEST(StructType, LimitsSizeAndDepth) {
    for (const char* text :
         {R"([["a","<i4",[4294967296,4294967296]]])", R"([["a","|S1073741824"],["b","|u1"]])",
          R"([["a","|S1073741824",[1073741824]]])", R"([["a","|S0",[4294967296,4294967296]]])",
          R"([["a","<i8",18446744073709551615]])"})
        EXPECT_TRUE(Fails(ParseDataType(Json(text)), StatusCode::kLimit)) << text;
    const auto nested = [](int depth) {
        std::string text = "\"|u1\"";
        for (int i = 0; i < depth; ++i) text.insert(0, "[[\"a\",").append("]]");
        return ParseDataType(Json(text));
    };
    EXPECT_TRUE(Succeeds(nested(16)));
    EXPECT_TRUE(Fails(nested(17), StatusCode::kLimit, "nests more than 16"));
}

TEST(SwapElements, ReversesEveryScalar) {
    const std::pair<const char*, std::vector<int>> cases[] = {
        {"\"<u1\"", {1, 2}},
        {"\"?i4\"", {4, 3, 2, 1, 8, 7, 6, 5}},
        {"\"?c8\"", {4, 3, 2, 1, 8, 7, 6, 5}},
        {"\"?c16\"", {8, 7, 6, 5, 4, 3, 2, 1, 16, 15, 14, 13, 12, 11, 10, 9}},
        {"\"?U2\"", {4, 3, 2, 1, 8, 7, 6, 5}},
        {"\"?M8[s]\"", {8, 7, 6, 5, 4, 3, 2, 1}},
        {"\"|S3\"", {1, 2, 3}},
        {R"([["a","?i2",[2]],["b","|V2"],["c",[["d","?f4"]]]])", {2, 1, 4, 3, 5, 6, 10, 9, 8, 7}},
    };
    for (const auto& [text, swapped] : cases) {
        for (const char order : {'<', '>'}) {
            std::string json = text;
            for (char& c : json)
                if (c == '?') c = order;
            const DataType type = Type(json);
            std::vector<std::uint8_t> data(swapped.size());
            std::iota(data.begin(), data.end(), std::uint8_t{1});
            std::vector<std::uint8_t> expected = data;
            if ((order == '<') != HostIsLittleEndian())
                expected.assign(swapped.begin(), swapped.end());
            SwapElements(type, data.data(), data.size() / type.size);
            EXPECT_EQ(data, expected) << json;
        }
    }
}

}  // namespace
}  // namespace zarr
