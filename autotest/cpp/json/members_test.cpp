// SPDX-License-Identifier: MIT
#include <cstdint>

#include "autotest/cpp/support/checks.h"
#include "core/json/value.h"

namespace zarr::json {
namespace {

using test::Json;

TEST(Members, RequireNamesTheMissingMember) {
    const Value object = Json(R"({"shape": null})");
    EXPECT_TRUE((*Require(object, "shape"))->is_null());
    EXPECT_EQ(Require(object, "chunks").status().message(),
              "the compulsory member \"chunks\" is missing");
    EXPECT_EQ(Require(Json("[1]"), "a").status().message(), "expected an object, got [1]");
    EXPECT_EQ(Require(object, "chunks").status().code(), StatusCode::kCorrupt);
}

TEST(Members, IntegersNameTheirPlaceAndValue) {
    EXPECT_EQ(*UintAtLeast(Json("7"), 7, "level"), 7U);
    EXPECT_EQ(*UintAtLeast(Json("18446744073709551615"), 0, "level"), UINT64_MAX);
    EXPECT_EQ(*UintAtLeast(Json("5.0"), 0, "level"), 5U);
    const auto message = [](const char* text) {
        return UintAtLeast(Json(text), 1, "level").status().message();
    };
    EXPECT_EQ(message("0"), "level: expected an integer >= 1, got 0");
    EXPECT_EQ(message("-3"), "level: expected an integer >= 1, got -3");
    EXPECT_EQ(message("1.5"), "level: expected an integer >= 1, got 1.5");
    EXPECT_EQ(message("\"4\""), "level: expected an integer >= 1, got \"4\"");
    EXPECT_EQ(message("true"), "level: expected an integer >= 1, got true");
    EXPECT_EQ(message("NaN"), "level: expected an integer >= 1, got NaN");
    EXPECT_EQ(message("1e30"), "level: expected an integer >= 1, got 1e+30");
}

TEST(Members, ArraysOfIntegersNameTheItem) {
    EXPECT_EQ(*UintsAtLeast(Json("[3, 4]"), 1, "chunks"), (std::vector<std::uint64_t>{3, 4}));
    EXPECT_TRUE(UintsAtLeast(Json("[]"), 1, "chunks")->empty());
    EXPECT_EQ(UintsAtLeast(Json("[3, 0]"), 1, "chunks").status().message(),
              "chunks[1]: expected an integer >= 1, got 0");
    EXPECT_EQ(UintsAtLeast(Json("3"), 1, "chunks").status().message(),
              "chunks: expected an array of integers, got 3");
}

TEST(Members, OptionalMembersHaveDefaults) {
    const Value object = Json(R"({"i": -5, "d": 2.5, "s": "x", "n": null, "b": true})");
    EXPECT_EQ(*OptionalInt(object, "i", 1, -5, 9), -5);
    EXPECT_EQ(*OptionalInt(object, "n", 1, 5, 9), 1);
    EXPECT_EQ(*OptionalInt(object, "absent", 1, 5, 9), 1);
    EXPECT_EQ(*OptionalDouble(object, "d", 0), 2.5);
    EXPECT_EQ(*OptionalDouble(object, "i", 0), -5);
    EXPECT_EQ(*OptionalDouble(object, "n", 7), 7);
    EXPECT_EQ(*OptionalString(object, "s", "y"), "x");
    EXPECT_EQ(*OptionalString(object, "absent", "y"), "y");
    EXPECT_EQ(OptionalInt(object, "i", 1, -4, 9).status().message(),
              "i: expected an integer from -4 to 9, got -5");
    EXPECT_EQ(OptionalInt(object, "b", 1, 0, 9).status().message(),
              "b: expected an integer from 0 to 9, got true");
    EXPECT_EQ(OptionalDouble(object, "s", 0).status().message(), "s: expected a number, got \"x\"");
    EXPECT_EQ(OptionalString(object, "i", "").status().message(), "i: expected a string, got -5");
}

TEST(Equals, ComparesByValue) {
    const char* const equal[][2] = {
        {"null", "null"},
        {"true", "true"},
        {R"("a")", R"("\u0061")"},
        {"1", "1.0"},
        {"NaN", "NaN"},
        {"18446744073709551615", "18446744073709551615"},
        {R"({"a": [1, {"b": null}], "c": ""})", R"({"c": "", "a": [1.0, {"b": null}]})"},
    };
    for (const auto& pair : equal) EXPECT_TRUE(Equals(Json(pair[0]), Json(pair[1]))) << pair[0];
    const char* const different[][2] = {
        {"null", "false"},
        {"true", "false"},
        {"1", "true"},
        {"1", R"("1")"},
        {"9007199254740993", "9007199254740992"},
        {"9223372036854775808", "-9223372036854775808"},
        {"NaN", "0"},
        {"[1, 2]", "[1]"},
        {"[]", "{}"},
        {R"({"a": 1})", R"({"a": 2})"},
        {R"({"a": 1})", R"({"b": 1})"},
        {R"({"a": 1})", R"({"a": 1, "b": 2})"},
    };
    for (const auto& pair : different) {
        EXPECT_FALSE(Equals(Json(pair[0]), Json(pair[1]))) << pair[0];
        EXPECT_FALSE(Equals(Json(pair[1]), Json(pair[0]))) << pair[1];
    }
}

TEST(AreAllEqual, ComparesTheItemsByValue) {
    for (const char* text : {"[]", "[null]", "[1, 1.0, 1]", "[NaN, NaN]", R"(["a", "a"])"})
        EXPECT_TRUE(AreAllEqual(*Json(text).as_array())) << text;
    for (const char* text : {"[1, 2]", R"([1, "1"])", "[null, 0]", "[1, 1, [1]]"})
        EXPECT_FALSE(AreAllEqual(*Json(text).as_array())) << text;
}

}  // namespace
}  // namespace zarr::json
