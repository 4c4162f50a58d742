// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <limits>

#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "core/json/value.h"

namespace zarr::json {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;

TEST(JsonParse, KeepsIntegersExactToTheirLimits) {
    std::int64_t i = 0;
    std::uint64_t u = 0;
    ASSERT_TRUE(Json("-9223372036854775808").GetInt64(i));
    EXPECT_EQ(i, INT64_MIN);
    ASSERT_TRUE(Json("9223372036854775807").GetInt64(i));
    EXPECT_EQ(i, INT64_MAX);
    ASSERT_TRUE(Json("18446744073709551615").GetUint64(u));
    EXPECT_EQ(u, UINT64_MAX);
    ASSERT_TRUE(Json("9007199254740993").GetInt64(i));  // a double cannot hold 2^53 + 1
    EXPECT_EQ(i, 9007199254740993);
    EXPECT_FALSE(Json("9223372036854775808").GetInt64(i));
    EXPECT_FALSE(Json("-1").GetUint64(u));
}

TEST(JsonParse, MakesLongerIntegersDoubles) {
    for (const char* text : {"18446744073709551616", "-9223372036854775809"}) {
        const Value value = Json(text);
        std::int64_t i = 0;
        std::uint64_t u = 0;
        double d = 0;
        EXPECT_FALSE(value.is_integer()) << text;
        EXPECT_TRUE(value.is_number()) << text;
        EXPECT_FALSE(value.GetUint64(u)) << text;
        ASSERT_TRUE(value.GetDouble(d));
        EXPECT_EQ(d, std::stod(text));
        // The double of -(2^63 + 1) is -2^63, which fits into int64. The double 2^63 does not fit.
        EXPECT_EQ(value.GetInt64(i), text[0] == '-');
    }
}

TEST(JsonValue, CountsIntegralDoublesAsIntegers) {
    std::int64_t i = 0;
    std::uint64_t u = 0;
    ASSERT_TRUE(Json("4.0").GetInt64(i));
    EXPECT_EQ(i, 4);
    ASSERT_TRUE(Json("1e19").GetUint64(u));
    EXPECT_EQ(u, 10000000000000000000U);
    EXPECT_TRUE(Json("-9223372036854775808.0").GetInt64(i));
    for (const char* text : {"4.5", "9223372036854775808.0", "1e300", "NaN", "-Infinity"})
        EXPECT_FALSE(Json(text).GetInt64(i)) << text;
    for (const char* text : {"-1.0", "18446744073709551616.0", "0.5", "NaN", "Infinity"})
        EXPECT_FALSE(Json(text).GetUint64(u)) << text;
    double d = 0;
    for (const char* text : {"true", "\"1\"", "null", "[1]", "{}"}) {
        EXPECT_FALSE(Json(text).GetInt64(i)) << text;
        EXPECT_FALSE(Json(text).GetUint64(u)) << text;
        EXPECT_FALSE(Json(text).GetDouble(d)) << text;
    }
}

TEST(JsonParse, ReadsBareTokens) {
    const Value value = Json(R"({"a": NaN, "b": [Infinity,-Infinity , NaN], "c":-1})");
    double d = 0;
    ASSERT_TRUE(value.Find("a")->GetDouble(d));
    EXPECT_TRUE(std::isnan(d));
    const Array& items = *value.Find("b")->as_array();
    ASSERT_EQ(items.size(), 3U);
    ASSERT_TRUE(items[0].GetDouble(d));
    EXPECT_EQ(d, std::numeric_limits<double>::infinity());
    ASSERT_TRUE(items[1].GetDouble(d));
    EXPECT_EQ(d, -std::numeric_limits<double>::infinity());
    ASSERT_TRUE(value.Find("c")->GetDouble(d));
    EXPECT_EQ(d, -1);
    ASSERT_TRUE(Json("NaN").GetDouble(d));
    ASSERT_TRUE(Json(" -Infinity ").GetDouble(d));
}

TEST(JsonParse, LeavesTokensInStringsAlone) {
    const Value value =
        Json(R"({"NaN": "NaN", "b": "x -Infinity \" NaN", "c\\": "Infinity\\", "d": NaN})");
    EXPECT_EQ(*value.Find("NaN")->as_string(), "NaN");
    EXPECT_EQ(*value.Find("b")->as_string(), "x -Infinity \" NaN");
    EXPECT_EQ(*value.Find("c\\")->as_string(), "Infinity\\");
    EXPECT_TRUE(value.Find("d")->is_number());
}

TEST(JsonParse, RefusesTokensOutOfPlace) {
    for (const char* text : {"{NaN: 1}", "NaNNaN", "[1NaN]", "[NaN1]", "-NaN", "+Infinity", "nan",
                             "Inf", "[NaN NaN]", "{\"a\" NaN}", "NaN,", "infinity", "--Infinity"})
        EXPECT_TRUE(Fails(Parse(text), StatusCode::kCorrupt)) << text;
}

TEST(JsonParse, LetsTheLastOfARepeatedKeyCount) {
    const Value value = Json(R"({"a": 1, "b": 2, "a": 3})");
    std::int64_t i = 0;
    ASSERT_TRUE(value.Find("a")->GetInt64(i));
    EXPECT_EQ(i, 3);
    EXPECT_EQ(value.as_object()->size(), 2U);
    EXPECT_EQ(value.Find("c"), nullptr);
    EXPECT_EQ(Json("[1]").Find("a"), nullptr);
}

TEST(JsonParse, KeepsTheLastOfAKeyThatIsRepeated) {
    for (const int count : {3, 17, 1000}) {
        std::string text = "{";
        for (int i = 0; i < 2 * count; ++i)
            text += "\"k" + std::to_string(i % count) + "\": " + std::to_string(i) + ", ";
        const Value value = Json(text + "\"end\": null}");
        ASSERT_EQ(value.as_object()->size(), static_cast<std::size_t>(count) + 1) << count;
        for (int k = 0; k < count; ++k) {
            std::int64_t i = 0;
            EXPECT_EQ((*value.as_object())[static_cast<std::size_t>(k)].first,
                      "k" + std::to_string(k));
            ASSERT_TRUE(value.Find("k" + std::to_string(k))->GetInt64(i));
            EXPECT_EQ(i, count + k);
        }
    }
}

TEST(JsonParse, LimitsTheNumberOfValues) {
    const test::ScopedLimit limit(Limit::kJsonValues, 4);
    EXPECT_TRUE(Succeeds(Parse("[1, 2, 3]")));
    EXPECT_TRUE(Succeeds(Parse(R"({"a": [1, {}]})")));
    EXPECT_TRUE(Fails(Parse("[1, 2, 3, 4]"), StatusCode::kLimit,
                      "too many JSON values; ZARR_MAX_JSON_VALUES allows 4"));
    EXPECT_TRUE(Succeeds(Parse("[1, 2, 3, 4, 5, 6]", 3)));
    EXPECT_TRUE(Fails(Parse("[1, 2, 3, 4, 5, 6, 7]", 3), StatusCode::kLimit, "too many"));
}

TEST(JsonValue, IsCopiedDeeply) {
    const Value value = Json(R"({"a": ["b", {"c": [1, -2.5, null, true]}], "d": "e"})");
    Value copy = value;
    EXPECT_EQ(Dump(copy), Dump(value));
    (*copy.MutableObject())[0].second.MutableArray()->clear();
    EXPECT_EQ(value.Find("a")->as_array()->size(), 2U);
    copy = *copy.Find("d");
    EXPECT_EQ(*copy.as_string(), "e");
    const Value moved = std::move(copy);
    EXPECT_EQ(*moved.as_string(), "e");
    EXPECT_EQ(sizeof(Value), 16U);
}

TEST(JsonParse, KeepsTheOrderOfMembers) {
    const Value value = Json(R"({"z": 1, "a": 2, "m": 3})");
    std::string names;
    for (const Member& member : *value.as_object()) names += member.first;
    EXPECT_EQ(names, "zam");
}

std::string Nested(std::size_t depth, char open, char close) {
    return std::string(depth, open) + std::string(depth, close);
}

TEST(JsonParse, LimitsTheDepth) {
    constexpr std::size_t kDepth = 128;
    EXPECT_TRUE(Succeeds(Parse(Nested(kDepth, '[', ']'))));
    for (const std::size_t depth : {kDepth + 1, std::size_t{10000}, std::size_t{10000000}}) {
        EXPECT_TRUE(Fails(Parse(Nested(depth, '[', ']')), StatusCode::kLimit,
                          "nested too deep; ZARR_MAX_JSON_DEPTH allows 128"));
        EXPECT_TRUE(Fails(Parse(std::string(depth, '[')), StatusCode::kLimit,
                          "nested too deep; ZARR_MAX_JSON_DEPTH allows 128"));
    }
    std::string objects;
    for (int i = 0; i < 10000; ++i) objects += "{\"a\":";
    EXPECT_TRUE(Fails(Parse(objects), StatusCode::kLimit,
                      "nested too deep; ZARR_MAX_JSON_DEPTH allows 128"));
}

TEST(JsonParse, ErrorsNameThePosition) {
    EXPECT_TRUE(Fails(Parse(""), StatusCode::kCorrupt, "not valid JSON at byte 1"));
    EXPECT_TRUE(Fails(Parse("[1, 2"), StatusCode::kCorrupt, "at byte 6"));
    EXPECT_TRUE(Fails(Parse("[1, ?]"), StatusCode::kCorrupt, "at byte 5"));
    EXPECT_TRUE(Fails(Parse("{\"a\": 1} x"), StatusCode::kCorrupt, "at byte 10"));
    for (const char* text :
         {"{", "[1,]", "{\"a\"}", "{\"a\":1,}", "'a'", "01", "1.", "\"a", "tru", "\"\\x\"",
          "\"\n\"", "\"\x80\"", "{a:1}", "1 2", "//c\n1", "\"\\ud800\""})
        EXPECT_TRUE(Fails(Parse(text), StatusCode::kCorrupt, "not valid JSON at byte ")) << text;
    EXPECT_TRUE(Fails(Parse(std::string_view("1\0", 2)), StatusCode::kCorrupt, "at byte 2"));
}

TEST(JsonParse, ErrorPositionsCountBareTokens) {
    const std::string plain = R"({"a": 123, "b": 123, "c": ?})";
    const std::string tokens = R"({"a": NaN, "b": NaN, "c": ?})";
    EXPECT_TRUE(Fails(Parse(plain), StatusCode::kCorrupt, "at byte 27"));
    EXPECT_TRUE(Fails(Parse(tokens), StatusCode::kCorrupt, "at byte 27"));
    EXPECT_TRUE(Fails(Parse("[NaN, -Infinity, Infinity"), StatusCode::kCorrupt, "at byte 26"));
    // The error message names the misplaced token and the position after it.
    EXPECT_TRUE(Fails(Parse("[1 NaN]"), StatusCode::kCorrupt, "at byte 6, near \"NaN\""));
}

TEST(JsonParse, ReadsEscapes) {
    const Value value = Json(R"(["\"\\\/\b\f\n\r\t", "\u00e9\uD83D\ude00", "\u0000."])");
    const Array& items = *value.as_array();
    EXPECT_EQ(*items[0].as_string(), "\"\\/\b\f\n\r\t");
    EXPECT_EQ(*items[1].as_string(), "\xc3\xa9\xf0\x9f\x98\x80");
    EXPECT_EQ(*items[2].as_string(), std::string("\0.", 2));
    for (const char* text : {R"("\ud83d")", R"("\ud83dx")", R"("\ud83d\u0041")", R"("\ude00")",
                             R"("\u12g4")", R"("\u+123")", R"("\u12)", R"("\)", R"("\a")"})
        EXPECT_TRUE(Fails(Parse(text), StatusCode::kCorrupt, "not valid JSON at byte ")) << text;
}

TEST(JsonParse, ReadsRealNumbersOfAllSizes) {
    const auto number = [](const char* text) {
        double d = -1;
        EXPECT_TRUE(Json(text).GetDouble(d)) << text;
        return d;
    };
    EXPECT_EQ(number("1e-999"), 0);
    EXPECT_EQ(number("5e-324"), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(number("1.7976931348623157E+308"), std::numeric_limits<double>::max());
    EXPECT_TRUE(std::signbit(number("-0.0")));
    EXPECT_FALSE(std::signbit(number("-0")));
    for (const char* text : {"1e999", "-1e999", "1e", "1e+", ".5", "-", "- 1", "0x10", "1.e1"})
        EXPECT_TRUE(Fails(Parse(text), StatusCode::kCorrupt, "not valid JSON at byte ")) << text;
}

TEST(JsonParse, PassesOverAByteOrderMark) {
    EXPECT_NE(Json("\xef\xbb\xbf{}").as_object(), nullptr);
    EXPECT_TRUE(Fails(Parse("\xef\xbb{}"), StatusCode::kCorrupt));
    EXPECT_TRUE(Fails(Parse("{}\xef\xbb\xbf"), StatusCode::kCorrupt));
}

TEST(JsonParse, ReadsAMillionMembers) {
    std::string text = "{";
    for (int i = 0; i < 1000000; ++i) text += "\"" + std::to_string(i) + "\":1,";
    text += "\"last\":NaN}";
    const Value value = Json(text);
    ASSERT_NE(value.as_object(), nullptr);
    EXPECT_EQ(value.as_object()->size(), 1000001U);
}

}  // namespace
}  // namespace zarr::json
