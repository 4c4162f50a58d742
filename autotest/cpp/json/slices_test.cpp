// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/checks.h"
#include "core/json/value.h"

namespace zarr::json {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;

std::vector<std::pair<std::string, std::string>> Slices(std::string_view text) {
    const auto slices = MemberSlices(text);
    EXPECT_TRUE(Succeeds(slices)) << text;
    std::vector<std::pair<std::string, std::string>> copies;
    if (slices.ok())
        for (const Slice& slice : *slices) copies.emplace_back(slice.first, slice.second);
    return copies;
}

TEST(MemberSlices, SplitsAnObject) {
    const auto slices = Slices(R"( {"a":1,"b" : {"c":[1,{"d":2}]} ,"e":"x"} )");
    ASSERT_EQ(slices.size(), 3U);
    EXPECT_EQ(slices[0].first, "a");
    EXPECT_EQ(slices[0].second, "1");
    EXPECT_EQ(Dump(Json(slices[1].second)), R"({"c": [1, {"d": 2}]})");
    EXPECT_EQ(slices[2].second, "\"x\"");
    EXPECT_TRUE(Slices("{}").empty());
    EXPECT_TRUE(Slices(" { \n } ").empty());
}

TEST(MemberSlices, IsNotFooledByStrings) {
    const auto slices = Slices(R"({"a,\"}": "{[,\"", "b\\": ["]", "}\\"], "": NaN})");
    ASSERT_EQ(slices.size(), 3U);
    EXPECT_EQ(slices[0].first, "a,\"}");
    EXPECT_EQ(*Json(slices[0].second).as_string(), "{[,\"");
    EXPECT_EQ(slices[1].first, "b\\");
    EXPECT_EQ(Json(slices[1].second).as_array()->size(), 2U);
    EXPECT_EQ(slices[2].first, "");
    EXPECT_TRUE(Json(slices[2].second).is_number());
}

TEST(MemberSlices, UnescapesNames) {
    EXPECT_EQ(Slices(R"({"\u00fc\n\/": 1})")[0].first, "\xc3\xbc\n/");
    EXPECT_TRUE(Fails(MemberSlices(R"({"\q": 1})"), StatusCode::kCorrupt));
    EXPECT_TRUE(Fails(MemberSlices(R"({"\ud800": 1})"), StatusCode::kCorrupt));
}

TEST(MemberSlices, LeavesOutTheSpaceAroundValues) {
    const auto slices = MemberSlices("{\"a\": \n 1 , \"b\": null\r\n\t}\n");
    ASSERT_TRUE(Succeeds(slices));
    EXPECT_EQ((*slices)[0].second, "1");
    EXPECT_EQ((*slices)[1].second, "null");
    EXPECT_TRUE(Fails(MemberSlices("{\"a\": \n}"), StatusCode::kCorrupt, "expected a value"));
}

TEST(MemberSlices, SkipsAByteOrderMark) {
    EXPECT_EQ(Slices("\xef\xbb\xbf{\"a\": 1}")[0].second, "1");
    EXPECT_TRUE(Fails(MemberSlices("\xef\xbb{}"), StatusCode::kCorrupt, "expected an object"));
}

TEST(MemberSlices, KeepsRepeatedNamesInOrder) {
    const auto slices = Slices(R"({"a":1,"a":2})");
    ASSERT_EQ(slices.size(), 2U);
    EXPECT_EQ(slices[1].second, "2");
}

TEST(MemberSlices, RefusesOtherValuesThanObjects) {
    for (const char* text : {"", "  ", "[]", "1", "\"a\"", "null", "x{}", "}"})
        EXPECT_TRUE(Fails(MemberSlices(text), StatusCode::kCorrupt, "expected an object")) << text;
    for (const char* text : {"[]", "1", "\"a\"", "null", "-1", "true"})
        EXPECT_EQ(MemberSlices(text).status().message(),
                  std::string("expected an object, got ") + text);
    EXPECT_EQ(MemberSlices(" [" + std::string(99, '1')).status().message(),
              "expected an object, got [" + std::string(39, '1') + "...");
    for (const char* text :
         {"{,}", "{\"a\":1,}", "{a:1}", "{\"a\"}", "{\"a\":}", "{\"a\":,\"b\":1}", "{\"a\" 1}",
          "{\"a\":1} x", "{}{}", "{\"a\":1}}", "{\"a\":]}", "{\"a\":1 ]", "{1:2}"})
        EXPECT_TRUE(Fails(MemberSlices(text), StatusCode::kCorrupt, "not valid JSON at byte "))
            << text;
}

TEST(MemberSlices, RefusesEveryTruncation) {
    const std::string text = R"({"a\"b": {"x": ["}", 1]}, "c": "\\", "d": 12})";
    ASSERT_TRUE(Succeeds(MemberSlices(text)));
    for (std::size_t size = 0; size < text.size(); ++size) {
        const std::string cut = text.substr(0, size);  // copied, so that sanitizers see its end
        EXPECT_TRUE(Fails(MemberSlices(cut), StatusCode::kCorrupt, "not valid JSON")) << cut;
    }
    EXPECT_TRUE(Fails(MemberSlices(std::string("{\"a\\")), StatusCode::kCorrupt));
}

TEST(MemberSlices, DoesNotNest) {
    std::string text = "{\"a\":" + std::string(1000000, '[') + std::string(1000000, ']') + "}";
    const auto slices = Slices(text);
    ASSERT_EQ(slices.size(), 1U);
    EXPECT_TRUE(Fails(Parse(slices[0].second), StatusCode::kLimit, "nested too deep"));
    text.pop_back();
    text.back() = '}';
    EXPECT_TRUE(Fails(MemberSlices(text), StatusCode::kCorrupt));
}

}  // namespace
}  // namespace zarr::json
