// SPDX-License-Identifier: MIT
#include "core/conventions/attributes/attributes.h"

#include <cmath>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Json;

TEST(Attributes, StringsAreStrings) {
    const json::Value attributes = Json(R"({"units": "m", "n": 1, "u": ""})");
    EXPECT_EQ(*StringAttribute(attributes, "units"), "m");
    EXPECT_EQ(*StringAttribute(attributes, "u"), "");
    EXPECT_EQ(StringAttribute(attributes, "n"), nullptr);
    EXPECT_EQ(StringAttribute(attributes, "absent"), nullptr);
}

TEST(Attributes, NumbersMayBeTextsOrLists) {
    Warnings warnings;
    const auto number = [&](const char* value) {
        return NumberAttribute(Json(std::string("{\"a\": ") + value + "}"), "a").Report(warnings);
    };
    EXPECT_EQ(number("0.5"), 0.5);
    EXPECT_EQ(number("-3"), -3);
    EXPECT_EQ(number("18446744073709551615"), 18446744073709551616.0);
    EXPECT_EQ(number("[0.5]"), 0.5);
    EXPECT_EQ(number("\"0.5\""), 0.5);
    EXPECT_EQ(number("\" 1e-3 \""), 1e-3);
    EXPECT_EQ(number("[\"-7\"]"), -7);
    EXPECT_TRUE(std::isnan(*number("NaN")));
    EXPECT_EQ(number("null"), std::nullopt);
    EXPECT_EQ(NumberAttribute(Json("{}"), "a").Report(warnings), std::nullopt);
    EXPECT_TRUE(warnings.empty());
}

TEST(Attributes, OtherNumbersGiveAWarning) {
    for (const char* value : {"\"\"", "\"m\"", "\"1 m\"", "\"1,5\"", "[1, 2]", "[]", "{}", "true",
                              "[[1]]", "\"0x10\"", "\"1e999\""}) {
        Warnings warnings;
        EXPECT_EQ(
            NumberAttribute(Json(std::string("{\"scale_factor\": ") + value + "}"), "scale_factor")
                .Report(warnings),
            std::nullopt)
            << value;
        ASSERT_EQ(warnings.size(), 1U) << value;
        EXPECT_EQ(warnings[0].rfind("attribute scale_factor: expected a number, got ", 0), 0U);
    }
}

TEST(Attributes, WordsAreSplitAtBlanks) {
    const json::Value attributes = Json(R"({"c": " lat  lon\ttime ", "n": 5, "e": ""})");
    EXPECT_EQ(WordsAttribute(attributes, "c"), (std::vector<std::string>{"lat", "lon", "time"}));
    for (const char* name : {"n", "e", "absent"})
        EXPECT_TRUE(WordsAttribute(attributes, name).empty());
}

}  // namespace
}  // namespace zarr
