// SPDX-License-Identifier: MIT
#include <cmath>
#include <cstdint>
#include <limits>
#include <string_view>

#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/json/value.h"

namespace zarr::json {
namespace {

using test::Json;
using test::Random;

TEST(JsonDump, GivesTheTextBack) {
    for (const char* text : {"null",
                             "true",
                             "false",
                             "0",
                             "-1",
                             "18446744073709551615",
                             "-9223372036854775808",
                             "0.1",
                             "1e+300",
                             "-0.0",
                             "4.0",
                             "NaN",
                             "Infinity",
                             "-Infinity",
                             "\"\"",
                             "\"a\\n\\\"\\\\b\"",
                             "\"gr\xc3\xbcn\"",
                             "[]",
                             "{}",
                             "[1, [2, {}], NaN]",
                             "{\"b\": 1, \"a\": {\"c\": [null, true]}}"})
        EXPECT_EQ(Dump(Json(text)), text);
}

TEST(JsonDump, ValuesHaveTheSameTextWithoutIt) {
    const char* const texts[] = {"null",
                                 "true",
                                 "false",
                                 "0",
                                 "1",
                                 "-1",
                                 "0.0",
                                 "-0.0",
                                 "1.0",
                                 "NaN",
                                 "Infinity",
                                 "-Infinity",
                                 "1e+300",
                                 "\"\"",
                                 "\"1\"",
                                 "[]",
                                 "[1]",
                                 "[1.0]",
                                 "[1, 2]",
                                 "[NaN, 2]",
                                 "{}",
                                 "{\"a\": 1}",
                                 "{\"a\": 1.0}",
                                 "{\"b\": 1}",
                                 "{\"a\": 1, \"b\": [NaN]}",
                                 "18446744073709551615",
                                 "{\"b\": [NaN], \"a\": 1}"};
    for (const char* a : texts)
        for (const char* b : texts)
            EXPECT_EQ(HaveSameText(Json(a), Json(b)), std::string_view(a) == b) << a << " " << b;
    EXPECT_TRUE(HaveSameText(Value(std::int64_t{5}), Value(std::uint64_t{5})));
    EXPECT_TRUE(HaveSameText(Value(std::nan("")), Value(-std::nan(""))));
    const Value list = Json("[1, {\"a\": NaN}]");
    const Value copy = list;  // shares the content
    EXPECT_TRUE(HaveSameText(list, copy));
}

TEST(JsonDump, KeepsEveryDoubleExact) {
    Random random(2);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = random.Below(UINT64_MAX);
        const auto number = LoadNative<double>(&bits);
        double back = 0;
        ASSERT_TRUE(Json(Dump(Value(number))).GetDouble(back));
        ASSERT_TRUE(std::isnan(number) ? std::isnan(back) : back == number) << Dump(Value(number));
    }
    for (const double number : {std::numeric_limits<double>::denorm_min(),
                                std::numeric_limits<double>::max(), -0.0, 1.0 / 3}) {
        double back = 0;
        ASSERT_TRUE(Json(Dump(Value(number))).GetDouble(back));
        EXPECT_EQ(back, number);
        EXPECT_EQ(std::signbit(back), std::signbit(number));
    }
}

TEST(JsonDump, EscapesTextAndReplacesInvalidUtf8) {
    EXPECT_EQ(Dump(Value(std::string("\x01\x1f", 2))), "\"\\u0001\\u001f\"");
    EXPECT_EQ(Dump(Value(std::string("a\x80z"))), "\"a\xef\xbf\xbdz\"");
    EXPECT_EQ(*Json(Dump(Value(std::string("\0\t", 2)))).as_string(), std::string("\0\t", 2));
}

TEST(JsonBrief, IsShort) {
    EXPECT_EQ(Brief(Json("[1, 2]")), "[1, 2]");
    const std::string brief = Brief(Value(std::string(100000, 'x')));
    EXPECT_LT(brief.size(), 100U);
    EXPECT_EQ(brief.substr(brief.size() - 3), "...");
}

TEST(JsonValue, NamesItsType) {
    const std::pair<const char*, const char*> cases[] = {
        {"null", "null"},      {"1", "a number"},   {"NaN", "a number"}, {"true", "a boolean"},
        {"\"1\"", "a string"}, {"[1]", "an array"}, {"{}", "an object"}};
    for (const auto& [text, name] : cases) EXPECT_EQ(Json(text).TypeName(), name);
}

}  // namespace
}  // namespace zarr::json
