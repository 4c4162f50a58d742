// SPDX-License-Identifier: MIT
// Tests of fill values as JSON. zarr-python 2.13 writes the expected texts into `.zarray`.
#include <cmath>
#include <limits>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/dtype/fill_value.h"

namespace zarr {
namespace {

using namespace std::string_literals;
using test::Fails;
using test::Json;
using test::Random;
using test::Succeeds;
using test::Type;

constexpr const char* kStructure =
    R"([["a", ">i2"], ["b", "<f4", [2]], ["c", "|S3"], ["d", ">U1"]])";

std::string Spelled(std::string_view type, std::string_view element) {
    auto value = FillValueToJson(Type(type), element);
    EXPECT_TRUE(Succeeds(value)) << type;
    return value.ok() ? json::DumpIndented(*value) : std::string();
}

template <class T>
std::string BytesOf(T value) {
    std::string bytes(sizeof value, '\0');
    StoreNative(bytes.data(), value);
    return bytes;
}

std::string Units(std::initializer_list<std::uint32_t> units) {
    std::string bytes;
    for (const std::uint32_t unit : units) bytes += BytesOf(unit);
    return bytes;
}

TEST(FillValueJson, SpellsAsZarrPython) {
    const double infinity = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(Spelled("|b1", "\1"), "true");
    EXPECT_EQ(Spelled("|b1", "\0"s), "false");
    EXPECT_EQ(Spelled("|i1", "\x80"), "-128");
    EXPECT_EQ(Spelled("|u1", "\xff"), "255");
    EXPECT_EQ(Spelled(">i2", BytesOf<std::int16_t>(-5)), "-5");
    EXPECT_EQ(Spelled("<u2", BytesOf<std::uint16_t>(65535)), "65535");
    EXPECT_EQ(Spelled(">i4", BytesOf<std::int32_t>(INT32_MIN)), "-2147483648");
    EXPECT_EQ(Spelled("<u4", BytesOf<std::uint32_t>(UINT32_MAX)), "4294967295");
    EXPECT_EQ(Spelled("<i8", BytesOf<std::int64_t>(INT64_MIN)), "-9223372036854775808");
    EXPECT_EQ(Spelled(">u8", BytesOf<std::uint64_t>(UINT64_MAX)), "18446744073709551615");
    EXPECT_EQ(Spelled("<f2", BytesOf<std::uint16_t>(0x2e66)), "0.0999755859375");
    EXPECT_EQ(Spelled(">f4", BytesOf(0.1F)), "0.10000000149011612");
    EXPECT_EQ(Spelled("<f4", BytesOf(std::numeric_limits<float>::max())), "3.4028234663852886e+38");
    EXPECT_EQ(Spelled("<f8", BytesOf(0.0)), "0.0");
    EXPECT_EQ(Spelled("<f8", BytesOf(nan)), "\"NaN\"");
    EXPECT_EQ(Spelled("<f8", BytesOf(infinity)), "\"Infinity\"");
    EXPECT_EQ(Spelled(">f4", BytesOf(-std::numeric_limits<float>::infinity())), "\"-Infinity\"");
    EXPECT_EQ(Spelled("<f2", BytesOf<std::uint16_t>(0x7e00)), "\"NaN\"");
    EXPECT_EQ(Spelled("<c8", BytesOf(1.0F) + BytesOf(2.0F)), "[\n    1.0,\n    2.0\n]");
    EXPECT_EQ(Spelled(">c16", BytesOf(nan) + BytesOf(-infinity)),
              "[\n    \"NaN\",\n    \"-Infinity\"\n]");
    EXPECT_EQ(Spelled("<M8[D]", BytesOf<std::int64_t>(7)), "7");
    EXPECT_EQ(Spelled(">M8[ns]", BytesOf<std::int64_t>(INT64_MIN)), "-9223372036854775808");
    EXPECT_EQ(Spelled("<m8[25s]", BytesOf<std::int64_t>(-5)), "-5");
    EXPECT_EQ(Spelled("|S5", "abc\0\0"s), "\"YWJj\"");
    EXPECT_EQ(Spelled("|S5", "\0\0\0\0\0"s), "\"\"");
    EXPECT_EQ(Spelled("|S0", ""), "\"\"");
    EXPECT_EQ(Spelled("<U5", Units({'a', 'b', 0xe9, 0, 0})), "\"ab\\u00e9\"");
    EXPECT_EQ(Spelled(">U2", Units({0x1f600, 0})), "\"\\ud83d\\ude00\"");
    EXPECT_EQ(Spelled("<U2", Units({0, 0})), "\"\"");
    EXPECT_EQ(Spelled("|V4", "abcd"), "\"YWJjZA==\"");
    EXPECT_EQ(Spelled("|V4", "\0\0\0\0"s), "\"AAAAAA==\"");
    EXPECT_EQ(
        Spelled(R"([["a", "<i4"], ["b", ">f8"]])", BytesOf<std::int32_t>(1) + BytesOf<double>(2.5)),
        "\"AQAAAEAEAAAAAAAA\"");
    EXPECT_EQ(Spelled("|O", "hello"), "\"hello\"");
    EXPECT_EQ(Spelled("|O", ""), "\"\"");
}

void ExpectReadsBack(const DataType& type, const std::string& element) {
    const auto value = FillValueToJson(type, element);
    ASSERT_TRUE(Succeeds(value));
    const std::string text = json::Dump(*value);
    const auto back = ParseFillValue(type, Json(json::DumpIndented(*value)));
    ASSERT_TRUE(Succeeds(back)) << text;
    if (text.find("NaN") == std::string::npos)
        EXPECT_EQ(back->Bytes(), element) << text;
    else
        EXPECT_EQ(json::Dump(*FillValueToJson(type, back->Bytes())), text);
}

// Returns random bytes that are valid for an element of `type`.
std::string AnyElement(const DataType& type, Random& random) {
    if (type.kind == DataKind::kUnicode)
        return Units({static_cast<std::uint32_t>(random.Below(0xd800)), 'x',
                      static_cast<std::uint32_t>(random.Between(0xe000, 0x10ffff))});
    std::string element = random.Bytes(type.size);
    if (type.kind == DataKind::kBool) element[0] = static_cast<char>(element[0] & 1);
    return element;
}

TEST(FillValueJson, ReadsBackExactly) {
    Random random(6);
    for (const char* name : {"|b1", "|i1", "<i2",     ">i4",     "<i8",    "|u1",     "<u2", ">u4",
                             "<u8", "<f2", ">f4",     "<f8",     "<c8",    ">c16",    "|S7", "<U3",
                             ">U3", "|V5", "<M8[ns]", ">M8[2D]", "<m8[s]", kStructure}) {
        SCOPED_TRACE(name);
        const DataType type = Type(name);
        for (int i = 0; i < 300; ++i) ExpectReadsBack(type, AnyElement(type, random));
    }
    ExpectReadsBack(Type("<f8"), BytesOf(-0.0));
    for (const std::string& text : {""s, "gr\xc3\xbcn"s, "0"s, "a\0b"s})
        ExpectReadsBack(Type("|O"), text);
}

TEST(FillValueJson, RefusesInvalidElements) {
    for (const char* name :
         {"|b1", "<i2", "<f8", ">c16", "<M8[s]", "|S3", "<U2", "|V3", kStructure}) {
        const DataType type = Type(name);
        for (const std::size_t size : {std::size_t{0}, type.size - 1, type.size + 1})
            EXPECT_TRUE(
                Fails(FillValueToJson(type, std::string(size, 'x')), StatusCode::kInvalidArgument,
                      "fill_value: has " + std::to_string(size) + " bytes, but an element of"))
                << name;
    }
    EXPECT_TRUE(Fails(FillValueToJson(Type("<U2"), Units({'a', 0xd800})),
                      StatusCode::kInvalidArgument, "character 1 of an element of dtype <U2"));
    EXPECT_TRUE(Fails(FillValueToJson(Type("<U1"), Units({0x110000})), StatusCode::kInvalidArgument,
                      "1114112, which is not a Unicode"));
    EXPECT_TRUE(
        Fails(FillValueToJson(Type("|O"), "\xff"), StatusCode::kInvalidArgument, "not UTF-8 text"));
}

}  // namespace
}  // namespace zarr
