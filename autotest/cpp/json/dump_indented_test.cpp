// SPDX-License-Identifier: MIT
// Tests of indented JSON. The expected texts are those of Python 3.11: json.dumps(value, indent=4,
// sort_keys=True, ensure_ascii=True, separators=(",", ": ")).
#include <cmath>
#include <cstdint>
#include <limits>

#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/json/value.h"

namespace zarr::json {
namespace {

using test::Json;
using test::Random;

TEST(JsonDumpIndented, EqualsPythonsOutput) {
    const std::pair<const char*, const char*> cases[] = {
        {"null", "null"},
        {"true", "true"},
        {"false", "false"},
        {"0", "0"},
        {"-1", "-1"},
        {"18446744073709551615", "18446744073709551615"},
        {"-9223372036854775808", "-9223372036854775808"},
        {"9007199254740993", "9007199254740993"},
        {"\"\"", "\"\""},
        {"\"a\\n\\t\\r\\b\\f\\\"\\\\/b\"", "\"a\\n\\t\\r\\b\\f\\\"\\\\/b\""},
        {"\"\\u0001\\u001f\\u007f\\u0080\"", "\"\\u0001\\u001f\\u007f\\u0080\""},
        {"\"gr\303\274n \342\202\254 \360\237\230\200\"", "\"gr\\u00fcn \\u20ac \\ud83d\\ude00\""},
        {"[]", "[]"},
        {"{}", "{}"},
        {"[[]]", "[\n    []\n]"},
        {"[{}]", "[\n    {}\n]"},
        {"{\"a\": []}", "{\n    \"a\": []\n}"},
        {"[1, [2, {}], NaN, Infinity, -Infinity]",
         "[\n    1,\n    [\n        2,\n        {}\n    ],\n    NaN,\n    Infinity,\n    "
         "-Infinity\n]"},
        {"{\"b\": 1, \"a\": {\"c\": [null, true]}, \"\": 0, \"B\": 2, \"\303\274\": 3, "
         "\"\357\277\277\": 5, \"\360\237\230\200\": 4, \"a0\": 6}",
         "{\n    \"\": 0,\n    \"B\": 2,\n    \"a\": {\n        \"c\": [\n            null,\n      "
         "      true\n        ]\n    },\n    \"a0\": 6,\n    \"b\": 1,\n    \"\\u00fc\": 3,\n    "
         "\"\\uffff\": 5,\n    \"\\ud83d\\ude00\": 4\n}"},
        {"{\"a\": 1, \"b\": 2, \"a\": 3}", "{\n    \"a\": 3,\n    \"b\": 2\n}"},
        {"{\"zarr_format\": 2, \"shape\": [4, 5], \"filters\": null, \"fill_value\": 0.0}",
         "{\n    \"fill_value\": 0.0,\n    \"filters\": null,\n    \"shape\": [\n        4,\n      "
         "  5\n    ],\n    \"zarr_format\": 2\n}"},
    };
    for (const auto& [text, expected] : cases) EXPECT_EQ(DumpIndented(Json(text)), expected);
}

TEST(JsonDumpSorted, IsEqualForAnyOrder) {
    const std::string text =
        DumpSorted(Json(R"({"b": [{"d": 1, "c": 2}, 3], "a": 1.5, "b2": {}})"));
    EXPECT_EQ(text, DumpSorted(Json(R"({"b2": {}, "a": 1.5, "b": [{"c": 2, "d": 1}, 3]})")));
    EXPECT_EQ(Json(text).as_object()->front().first, "a");
    EXPECT_NE(text, DumpSorted(Json(R"({"b2": {}, "a": 1.5, "b": [3, {"c": 2, "d": 1}]})")));
}

TEST(JsonDumpIndented, SpellsNumbersAsPython) {
    const std::pair<double, const char*> cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1.0, "1.0"},
        {-2.5, "-2.5"},
        {0.1, "0.1"},
        {1e15, "1000000000000000.0"},
        {1e16, "1e+16"},
        {9999999999999998.0, "9999999999999998.0"},
        {12345678901234567.0, "1.2345678901234568e+16"},
        {123456789012345680000.0, "1.2345678901234568e+20"},
        {0.0001, "0.0001"},
        {0.00009999, "9.999e-05"},
        {1e-5, "1e-05"},
        {1e-7, "1e-07"},
        {1.5e-10, "1.5e-10"},
        {5e-324, "5e-324"},
        {2.2250738585072014e-308, "2.2250738585072014e-308"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {1e100, "1e+100"},
        {1e22, "1e+22"},
        {1e23, "1e+23"},
        {5.684341886080802e-14, "5.684341886080802e-14"},
        {0.3, "0.3"},
        {2.0000000000000004, "2.0000000000000004"},
        {4.35, "4.35"},
        {9007199254740992.0, "9007199254740992.0"},
        {0.10000000149011612, "0.10000000149011612"},
        {3.4028234663852886e38, "3.4028234663852886e+38"},
        {-1e-300, "-1e-300"},
        {1e-4, "0.0001"},
    };
    for (const auto& [number, expected] : cases) {
        EXPECT_EQ(PythonFloat(number), expected);
        EXPECT_EQ(DumpIndented(Value(number)), expected);
    }
    EXPECT_EQ(PythonFloat(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(PythonFloat(-std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(PythonFloat(std::numeric_limits<double>::infinity()), "Infinity");
    EXPECT_EQ(PythonFloat(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(JsonDumpIndented, KeepsEveryDoubleExact) {
    Random random(5);
    for (int i = 0; i < 20000; ++i) {
        const std::uint64_t bits = random.Below(UINT64_MAX);
        const auto number = LoadNative<double>(&bits);
        double back = 0;
        ASSERT_TRUE(Json(DumpIndented(Value(number))).GetDouble(back));
        ASSERT_TRUE(std::isnan(number) ? std::isnan(back) : back == number) << PythonFloat(number);
    }
}

TEST(JsonDumpIndented, ReplacesInvalidUtf8) {
    EXPECT_EQ(DumpIndented(Value(std::string("a\x80z"))), "\"a\\ufffdz\"");
    EXPECT_EQ(DumpIndented(Value(Object{{"\xff", Value(true)}})), "{\n    \"\\ufffd\": true\n}");
}

}  // namespace
}  // namespace zarr::json
