// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/base/limits.h"
#include "core/dtype/data_type.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using test::Type;

struct Ordered {
    const char* rest;
    DataKind kind;
    std::size_t size;
};
class OrderedTypes : public testing::TestWithParam<Ordered> {};
INSTANTIATE_TEST_SUITE_P(
    Types, OrderedTypes,
    testing::Values(Ordered{"i2", DataKind::kInt, 2}, Ordered{"i4", DataKind::kInt, 4},
                    Ordered{"i8", DataKind::kInt, 8}, Ordered{"u2", DataKind::kUint, 2},
                    Ordered{"u4", DataKind::kUint, 4}, Ordered{"u8", DataKind::kUint, 8},
                    Ordered{"f2", DataKind::kFloat, 2}, Ordered{"f4", DataKind::kFloat, 4},
                    Ordered{"f8", DataKind::kFloat, 8}, Ordered{"c8", DataKind::kComplex, 8},
                    Ordered{"c16", DataKind::kComplex, 16}, Ordered{"M8", DataKind::kDatetime, 8},
                    Ordered{"m8", DataKind::kTimedelta, 8},
                    Ordered{"M8[ns]", DataKind::kDatetime, 8},
                    Ordered{"m8[25s]", DataKind::kTimedelta, 8},
                    Ordered{"U7", DataKind::kUnicode, 28}, Ordered{"U0", DataKind::kUnicode, 0}));

TEST_P(OrderedTypes, HaveBothByteOrders) {
    const std::string rest = GetParam().rest;
    for (const char prefix : {'<', '>', '|', '!', '=', ' '}) {
        const std::string text = prefix == ' ' ? rest : prefix + rest;
        const DataType type = Type(text);
        EXPECT_EQ(type.kind, GetParam().kind) << text;
        EXPECT_EQ(type.size, GetParam().size) << text;
        // Without a byte order, a typestr is little-endian, because little-endian hosts wrote such
        // typestrs.
        EXPECT_EQ(type.order, prefix == '>' ? ByteOrder::kBig : ByteOrder::kLittle) << text;
        EXPECT_EQ(type.NeedsSwap(), (prefix == '>') == HostIsLittleEndian()) << text;
        EXPECT_EQ(type.ToString(), (prefix == '>' ? ">" : "<") + rest);
        EXPECT_FALSE(type.Native().NeedsSwap());
        EXPECT_EQ(type.Native().ToString(), (HostIsLittleEndian() ? "<" : ">") + rest);
    }
}

class UnorderedTypes : public testing::TestWithParam<Ordered> {};
INSTANTIATE_TEST_SUITE_P(
    Types, UnorderedTypes,
    testing::Values(Ordered{"b1", DataKind::kBool, 1}, Ordered{"i1", DataKind::kInt, 1},
                    Ordered{"u1", DataKind::kUint, 1}, Ordered{"S5", DataKind::kBytes, 5},
                    Ordered{"S0", DataKind::kBytes, 0}, Ordered{"V16", DataKind::kVoid, 16}));

TEST_P(UnorderedTypes, HaveNoByteOrder) {
    const std::string rest = GetParam().rest;
    for (const char* prefix : {"<", ">", "|", "!", "=", ""}) {
        const DataType type = Type(prefix + rest);
        EXPECT_EQ(type.kind, GetParam().kind);
        EXPECT_EQ(type.size, GetParam().size);
        EXPECT_EQ(type.order, ByteOrder::kNotRelevant);
        EXPECT_FALSE(type.NeedsSwap());
        EXPECT_EQ(type.ToString(), "|" + rest);
    }
}

TEST(Typestr, ReadsObjects) {
    for (const char* text : {"|O", "O"}) {
        EXPECT_EQ(Type(text).kind, DataKind::kObject);
        EXPECT_EQ(Type(text).size, sizeof(ObjectRef));
        EXPECT_EQ(Type(text).ToString(), "|O");
    }
}

TEST(Typestr, TellsNumericAndTimeTypes) {
    for (const char* text : {"|b1", "|i1", "<u8", "<f2", ">c16"})
        EXPECT_TRUE(Type(text).is_numeric());
    for (const char* text : {"|S1", "<U1", "|V1", "|O", "<M8[s]"})
        EXPECT_FALSE(Type(text).is_numeric()) << text;
    EXPECT_TRUE(Type("<M8[s]").is_time());
    EXPECT_TRUE(Type("<m8").is_time());
    EXPECT_FALSE(Type("<i8").is_time());
}

TEST(Typestr, ReadsEveryTimeUnitAndMultiples) {
    const std::pair<const char*, TimeUnit> units[] = {
        {"Y", TimeUnit::kYear},         {"M", TimeUnit::kMonth},
        {"W", TimeUnit::kWeek},         {"D", TimeUnit::kDay},
        {"h", TimeUnit::kHour},         {"m", TimeUnit::kMinute},
        {"s", TimeUnit::kSecond},       {"ms", TimeUnit::kMillisecond},
        {"us", TimeUnit::kMicrosecond}, {"ns", TimeUnit::kNanosecond},
        {"ps", TimeUnit::kPicosecond},  {"fs", TimeUnit::kFemtosecond},
        {"as", TimeUnit::kAttosecond}};
    for (const auto& [name, unit] : units) {
        EXPECT_EQ(TimeUnitName(unit), name);
        for (const char* start : {"<M8[", ">m8["}) {
            const DataType plain = Type(start + std::string(name) + "]");
            EXPECT_EQ(plain.time_unit, unit) << name;
            EXPECT_EQ(plain.time_multiple, 1U);
            EXPECT_EQ(plain.ToString(), start + std::string(name) + "]");
            const DataType multiple = Type(start + ("25" + std::string(name)) + "]");
            EXPECT_EQ(multiple.time_unit, unit);
            EXPECT_EQ(multiple.time_multiple, 25U);
            EXPECT_EQ(multiple.ToString(), start + ("25" + std::string(name)) + "]");
        }
    }
    EXPECT_EQ(Type("<M8").time_unit, TimeUnit::kGeneric);
    EXPECT_EQ(TimeUnitName(TimeUnit::kGeneric), "");
    EXPECT_EQ(Type("<M8[\xce\xbcs]").time_unit, TimeUnit::kMicrosecond);
    EXPECT_EQ(Type("<M8[1s]").ToString(), "<M8[s]");
}

TEST(Typestr, RefusesUnknownTypes) {
    for (const char* text : {"",
                             "<",
                             "|",
                             "<q4",
                             "float32",
                             "<f",
                             "<f3",
                             "<f16",
                             "<c32",
                             "<c4",
                             "<i3",
                             "<i16",
                             "<u0",
                             "<b2",
                             "<b4",
                             "<M4[s]",
                             "<M8[x]",
                             "<M8[]",
                             "<M8[s",
                             "<M8[0s]",
                             "<M8[-1s]",
                             "<M8 [s]",
                             "<M8[ s]",
                             "<M8[s]x",
                             "<M8[25]",
                             "<M8s",
                             "<f4 ",
                             " <f4",
                             "<f4[s]",
                             "<<f4",
                             "<f-4",
                             "<f+4",
                             "|S",
                             "|S-1",
                             "|S5x",
                             "<U",
                             "|S99999999999999999999",
                             "<i99999999999999999999",
                             "<O",
                             ">O",
                             "|t8",
                             "<p8",
                             "<M8[99999999999999999999s]"})
        EXPECT_TRUE(Fails(ParseTypestr(text), StatusCode::kUnsupported, "dtype \"")) << text;
}

TEST(Typestr, LimitsElementSize) {
    EXPECT_EQ(Type("|S1073741824").size, LimitOf(Limit::kStringSize));
    EXPECT_TRUE(Fails(ParseTypestr("|S1073741825"), StatusCode::kLimit, "ZARR_MAX_STRING_SIZE"));
    EXPECT_EQ(Type("<U268435456").size, LimitOf(Limit::kStringSize));
    EXPECT_TRUE(Fails(ParseTypestr("<U268435457"), StatusCode::kLimit, "ZARR_MAX_STRING_SIZE"));
}

TEST(DataType, RefusesJsonOfAnotherType) {
    for (const char* text : {"null", "4", "{}", "true"})
        EXPECT_TRUE(Fails(ParseDataType(Json(text)), StatusCode::kCorrupt, "dtype: expected"));
}

}  // namespace
}  // namespace zarr
