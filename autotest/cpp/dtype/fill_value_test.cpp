// SPDX-License-Identifier: MIT
#include "core/dtype/fill_value.h"

#include <cmath>
#include <limits>

#include "autotest/cpp/dtype/types.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/base/row_converter.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;
using test::Type;

std::string Fill(std::string_view type, std::string_view json) {
    auto fill = ParseFillValue(Type(type), Json(json));
    EXPECT_TRUE(Succeeds(fill)) << type << " " << json;
    return fill.ok() ? fill->Bytes() : std::string();
}

TEST(FillValue, NeedsNoMemoryForPadding) {
    const auto zero = ParseFillValue(Type("|V999999999"), Json("0"));
    ASSERT_TRUE(Succeeds(zero));
    EXPECT_EQ(zero->size(), 999999999U);
    EXPECT_TRUE(zero->is_zero());
    EXPECT_EQ(zero->TrimmedBytes().capacity(), std::string().capacity());
    const auto text = ParseFillValue(Type("|S999999999"), Json("\"aGk=\""));
    ASSERT_TRUE(Succeeds(text));
    EXPECT_EQ(text->TrimmedBytes(), "hi");
    EXPECT_EQ(text->Part(1, 3), std::string("i\0\0", 3));
    const auto units = ParseFillValue(Type("<U200000000"), Json("\"hi\""));
    ASSERT_TRUE(Succeeds(units));
    EXPECT_EQ(units->size(), 800000000U);
    EXPECT_LE(units->TrimmedBytes().size(), 8U);
    const auto few = ParseFillValue(Type("|S4"), Json("\"aGk=\""));
    ASSERT_TRUE(Succeeds(few));
    std::uint8_t bytes[] = {9, 9, 9, 9, 9};
    few->CopyTo(bytes);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(bytes), 5), std::string("hi\0\0\x09", 5));
    EXPECT_EQ(FillValue::OfObject(std::string("a\0", 2)).TrimmedBytes().size(), 2U);
}

template <class T>
T FillAs(std::string_view type, std::string_view json) {
    const std::string bytes = Fill(type, json);
    EXPECT_EQ(bytes.size(), sizeof(T)) << type << " " << json;
    return bytes.size() == sizeof(T) ? LoadNative<T>(bytes.data()) : T();
}

void ExpectRefused(std::string_view type, std::initializer_list<const char*> values) {
    for (const char* json : values)
        EXPECT_TRUE(Fails(ParseFillValue(Type(type), Json(json)), StatusCode::kCorrupt,
                          "fill_value: expected a value of dtype "))
            << type << " " << json;
}

template <class T>
void ExpectIntegerLimits(const std::string& rest) {
    using Limits = std::numeric_limits<T>;
    for (const char* order : {"<", ">"}) {  // the stored byte order must not matter
        const std::string type = order + rest;
        EXPECT_EQ(FillAs<T>(type, std::to_string(Limits::max())), Limits::max());
        EXPECT_EQ(FillAs<T>(type, std::to_string(Limits::min())), Limits::min());
        EXPECT_EQ(FillAs<T>(type, "7.0"), 7);
        EXPECT_EQ(FillAs<T>(type, "true"), 1);
        EXPECT_EQ(FillAs<T>(type, "false"), 0);
        // A fill value may be a string with a number. Spaces may surround the number.
        for (const std::string& quote : {std::string("\""), std::string("\" ")}) {
            EXPECT_EQ(FillAs<T>(type, quote + std::to_string(Limits::max()) + quote[0]),
                      Limits::max());
            EXPECT_EQ(FillAs<T>(type, quote + std::to_string(Limits::min()) + " \""),
                      Limits::min());
        }
        EXPECT_EQ(FillAs<T>(type, "\"+5\""), 5);
        ExpectRefused(type, {"0.5",
                             "NaN",
                             "\"NaN\"",
                             "[1]",
                             "{}",
                             "1e300",
                             "\"\"",
                             "18446744073709551616",
                             "\"18446744073709551616\"",
                             "\"0.5\"",
                             "\"1e300\"",
                             "\"1e1\"",
                             "\"4.0\"",
                             "\" \"",
                             "\"+\"",
                             "\"+-5\"",
                             "\"5 5\"",
                             "\"5x\"",
                             "\"0x10\"",
                             "\"inf\"",
                             "[\"0\"]"});
    }
}

TEST(FillValue, IntegersAreExactToTheirLimits) {
    ExpectIntegerLimits<std::int8_t>("i1");
    ExpectIntegerLimits<std::int16_t>("i2");
    ExpectIntegerLimits<std::int32_t>("i4");
    ExpectIntegerLimits<std::int64_t>("i8");
    ExpectIntegerLimits<std::uint8_t>("u1");
    ExpectIntegerLimits<std::uint16_t>("u2");
    ExpectIntegerLimits<std::uint32_t>("u4");
    ExpectIntegerLimits<std::uint64_t>("u8");
    EXPECT_EQ(FillAs<std::int64_t>("<i8", "-9007199254740993"), -9007199254740993);
    EXPECT_EQ(FillAs<std::uint64_t>("<u8", "18446744073709551615"), UINT64_MAX);
    EXPECT_EQ(FillAs<std::uint64_t>("<u8", "1e19"), 10000000000000000000U);
}

TEST(FillValue, IntegersOutOfRangeAreRefused) {
    ExpectRefused("|i1", {"128", "-129", "255"});
    ExpectRefused("<i2", {"32768", "-32769"});
    ExpectRefused("<i4", {"2147483648", "-2147483649"});
    ExpectRefused("<i8", {"9223372036854775808", "9223372036854775808.0", "-1e19"});
    ExpectRefused("|u1", {"256", "-1"});
    ExpectRefused("<u2", {"65536", "-1"});
    ExpectRefused("<u4", {"4294967296", "-1"});
    ExpectRefused("<u8", {"-1", "1.8446744073709552e19"});
    ExpectRefused("|i1", {"\"128\"", "\"-129\""});
    ExpectRefused("<i8", {"\"9223372036854775808\"", "\"-9223372036854775809\""});
    ExpectRefused("|u1", {"\"256\"", "\"-1\""});
    ExpectRefused("<u8", {"\"-1\"", "\"18446744073709551616\""});
    EXPECT_TRUE(Fails(ParseFillValue(Type("|u1"), Json("\"256\"")), StatusCode::kCorrupt,
                      R"(fill_value: expected a value of dtype |u1, got "256")"));
}

TEST(FillValue, Booleans) {
    for (const char* json : {"true", "1", "1.0", "-3"})
        EXPECT_EQ(Fill("|b1", json), "\x01") << json;
    for (const char* json : {"false", "0", "0.0", "-0.0"})
        EXPECT_EQ(Fill("|b1", json), std::string(1, '\0')) << json;
    ExpectRefused("|b1", {"\"true\"", "[]", "{}"});
}

TEST(FillValue, Floats) {
    for (const char* order : {"<", ">"}) {
        const std::string f8 = std::string(order) + "f8";
        EXPECT_EQ(FillAs<double>(f8, "0.1"), 0.1);
        EXPECT_EQ(FillAs<double>(f8, "-9999"), -9999);
        EXPECT_EQ(FillAs<double>(f8, "true"), 1);
        EXPECT_TRUE(std::signbit(FillAs<double>(f8, "-0.0")));
        EXPECT_EQ(FillAs<float>(std::string(order) + "f4", "0.1"), 0.1F);
        EXPECT_EQ(FillAs<std::uint16_t>(std::string(order) + "f2", "0.1"), 0x2e66);
        for (const char* nan : {"NaN", "\"NaN\""}) {
            EXPECT_TRUE(std::isnan(FillAs<double>(f8, nan)));
            EXPECT_TRUE(std::isnan(FillAs<float>("<f4", nan)));
            EXPECT_TRUE(std::isnan(HalfToFloat(FillAs<std::uint16_t>("<f2", nan))));
        }
        const double infinity = std::numeric_limits<double>::infinity();
        for (const char* quote : {"", "\""}) {
            EXPECT_EQ(FillAs<double>(f8, quote + std::string("Infinity") + quote), infinity);
            EXPECT_EQ(FillAs<double>(f8, quote + std::string("-Infinity") + quote), -infinity);
        }
    }
    ExpectRefused("<f8", {"\"\"", "[1]", "{}", "\"x\"", "\"1.5.5\"", "\"1e400\"", "\"0x10\"",
                          "\"1,5\"", "\"nan(1)\"", "\"--1\""});
}

TEST(FillValue, FloatsMayBeText) {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const char* type : {"<f8", ">f8"}) {
        EXPECT_EQ(FillAs<double>(type, "\"0\""), 0);
        EXPECT_EQ(FillAs<double>(type, "\"-9999\""), -9999);
        EXPECT_EQ(FillAs<double>(type, "\" 1e20\""), 1e20);
        EXPECT_EQ(FillAs<double>(type, "\"-.5\""), -0.5);
        EXPECT_EQ(FillAs<double>(type, "\"18446744073709551615\""), 18446744073709551615.0);
        EXPECT_TRUE(std::signbit(FillAs<double>(type, "\"-0.0\"")));
        for (const char* nan : {"\"nan\"", "\"NAN\"", "\"-nan\""})
            EXPECT_TRUE(std::isnan(FillAs<double>(type, nan))) << nan;
        for (const char* text : {"\"inf\"", "\"Inf\"", "\"+infinity\""})
            EXPECT_EQ(FillAs<double>(type, text), infinity) << text;
        EXPECT_EQ(FillAs<double>(type, "\"-INF\""), -infinity);
    }
    EXPECT_EQ(FillAs<float>("<f4", "\"-3.4028235e38\""), -std::numeric_limits<float>::max());
    EXPECT_EQ(FillAs<std::uint16_t>("<f2", "\"0.1\""), 0x2e66);
}

TEST(FillValue, FloatsRoundAsNumpyDoes) {
    const float largest = std::numeric_limits<float>::max();
    // These texts are the shortest for the largest float32 and its negative. The texts exceed these
    // numbers slightly, and must not become infinite.
    EXPECT_EQ(FillAs<float>("<f4", "3.4028235e38"), largest);
    EXPECT_EQ(FillAs<float>("<f4", "-3.4028235e38"), -largest);
    EXPECT_EQ(FillAs<float>("<f4", "3.4028234663852886e38"), largest);
    // The next number rounds down to the largest float32, because it is below the middle between
    // this float32 and 2^128.
    EXPECT_EQ(FillAs<float>("<f4", "3.4028235677973362e38"), largest);
    EXPECT_EQ(FillAs<float>("<f4", "3.4028235677973366e38"),
              std::numeric_limits<float>::infinity());
    EXPECT_EQ(FillAs<float>("<f4", "-1e300"), -std::numeric_limits<float>::infinity());
    EXPECT_EQ(FillAs<std::uint16_t>("<f2", "1e5"), 0x7c00);
    EXPECT_EQ(FillAs<double>("<f8", "1.7976931348623157e308"), std::numeric_limits<double>::max());
}

TEST(FillValue, ComplexNumbers) {
    const auto check = [](std::string_view json, double re, double im) {
        const std::string c16 = Fill(">c16", json);
        const std::string c8 = Fill("<c8", json);
        ASSERT_EQ(c16.size(), 16U);
        ASSERT_EQ(c8.size(), 8U);
        const double parts[] = {LoadNative<double>(c16.data()), LoadNative<double>(c16.data() + 8),
                                static_cast<double>(LoadNative<float>(c8.data())),
                                static_cast<double>(LoadNative<float>(c8.data() + 4))};
        const double expected[] = {re, im, re, im};
        for (int i = 0; i < 4; ++i)
            EXPECT_TRUE(parts[i] == expected[i] ||
                        (std::isnan(parts[i]) && std::isnan(expected[i])))
                << json << " " << i;
    };
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    check("[1.5, -2]", 1.5, -2);
    check("[\"NaN\", \"-Infinity\"]", nan, -infinity);
    check("[NaN, Infinity]", nan, infinity);
    check("7", 7, 0);
    check("\"NaN\"", nan, 0);
    check("0", 0, 0);
    check("[\"1.5\", \"-2\"]", 1.5, -2);
    check("\"-9999\"", -9999, 0);
    ExpectRefused("<c8", {"[1]", "[1,2,3]", "[]", "[\"x\",0]", "\"x\"", "{}", "[null,0]"});
}

TEST(FillValue, Times) {
    for (const char* type : {"<M8[ns]", ">M8[D]", "<m8[25s]", ">m8"}) {
        EXPECT_EQ(FillAs<std::int64_t>(type, "-9223372036854775808"), INT64_MIN);
        EXPECT_EQ(FillAs<std::int64_t>(type, "9223372036854775807"), INT64_MAX);
        EXPECT_EQ(FillAs<std::int64_t>(type, "0"), 0);
        EXPECT_EQ(FillAs<std::int64_t>(type, "\"NaT\""), INT64_MIN);
        ExpectRefused(type, {"\"2020-01-01\"", "0.5", "9223372036854775808", "[0]", "\"\""});
    }
}

TEST(FillValue, BytesAreBase64WithPaddingLeftOut) {
    using namespace std::string_literals;
    EXPECT_EQ(Fill("|S5", "\"aGVsbG8=\""), "hello");
    EXPECT_EQ(Fill("|S5", "\"aGk=\""), "hi\0\0\0"s);
    EXPECT_EQ(Fill("|S5", "\"\""), "\0\0\0\0\0"s);
    EXPECT_EQ(Fill("|S5", "0"), "\0\0\0\0\0"s);
    EXPECT_EQ(Fill("|S5", "false"), "\0\0\0\0\0"s);
    EXPECT_EQ(Fill("|V3", "\"AQID\""), "\x01\x02\x03");
    EXPECT_EQ(Fill("|V3", "\"\""), "\0\0\0"s);
    EXPECT_EQ(Fill("|V3", "0"), "\0\0\0"s);
    EXPECT_EQ(Fill("|S0", "\"\""), "");
    EXPECT_TRUE(Fails(ParseFillValue(Type("|S2"), Json("\"aGVsbG8=\"")), StatusCode::kCorrupt,
                      "fill_value: holds 5 bytes, but an element of dtype |S2 has 2"));
    EXPECT_TRUE(Fails(ParseFillValue(Type("|V3"), Json("\"AQI=\"")), StatusCode::kCorrupt,
                      "holds 2 bytes"));
    EXPECT_TRUE(Fails(ParseFillValue(Type("|S9"), Json("\"hi\"")), StatusCode::kCorrupt, "base64"));
    ExpectRefused("|S5", {"1", "[]", "{}", "true"});
}

TEST(FillValue, UnicodeIsText) {
    for (const char* type : {"<U3", ">U3"}) {
        const std::string fill = Fill(type, "\"a\xe2\x82\xac\"");
        ASSERT_EQ(fill.size(), 12U);
        EXPECT_EQ(LoadNative<std::uint32_t>(fill.data()), 'a');
        EXPECT_EQ(LoadNative<std::uint32_t>(fill.data() + 4), 0x20acU);
        EXPECT_EQ(LoadNative<std::uint32_t>(fill.data() + 8), 0U);
        EXPECT_EQ(Fill(type, "0"), std::string(12, '\0'));
        EXPECT_EQ(Fill(type, "\"\""), std::string(12, '\0'));
        EXPECT_EQ(Fill(type, "\"abcdef\""), Fill(type, "\"abc\"")) << "numpy cuts";
        ExpectRefused(type, {"1", "[]", "{}"});
    }
}

TEST(FillValue, StructuresAreTheirStoredBytes) {
    const std::string_view type = R"([["a", ">i2"], ["b", "<i2"], ["c", "|S1"]])";
    const std::string fill = Fill(type, "\"AQIDBAU=\"");  // Base64 of the bytes 1 2 3 4 5
    ASSERT_EQ(fill.size(), 5U);
    EXPECT_EQ(LoadNative<std::int16_t>(fill.data()), 0x0102);
    EXPECT_EQ(LoadNative<std::int16_t>(fill.data() + 2), 0x0403);
    EXPECT_EQ(fill[4], 5);
    EXPECT_EQ(Fill(type, "0"), std::string(5, '\0'));
    EXPECT_EQ(Fill(type, "\"\""), std::string(5, '\0'));
    EXPECT_TRUE(
        Fails(ParseFillValue(Type(type), Json("\"AQID\"")), StatusCode::kCorrupt, "3 bytes"));
    ExpectRefused(type, {"1", "[1,2,3]", "{}"});
}

TEST(FillValue, ObjectsAreTextOrEmpty) {
    EXPECT_EQ(Fill("|O", "\"text\""), "text");
    EXPECT_EQ(Fill("|O", "\"\""), "");
    EXPECT_EQ(Fill("|O", "0"), "");
}

}  // namespace
}  // namespace zarr
