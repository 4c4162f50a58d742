// SPDX-License-Identifier: MIT
#include "core/conventions/overview_layout.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/registered.h"

namespace zarr {
namespace {

using test::Json;
using test::StringList;

// Returns the levels of an array `base` of 64 x 100 elements with overviews at `paths`. Each level
// has half the size of the level before.
std::vector<OverviewLevel> Halves(const std::string& base, const StringList& paths) {
    std::vector<OverviewLevel> levels{{base, {64, 100}, ""}};
    std::uint64_t factor = 2;
    for (const std::string& path : paths) {
        levels.push_back({path, {64 / factor, 100 / factor}, "average"});
        factor *= 2;
    }
    return levels;
}

StringList Paths(const std::vector<OverviewLevel>& levels) {
    StringList paths;
    for (const OverviewLevel& level : levels) paths.push_back(level.path);
    return paths;
}

TEST(OverviewLayout, IsThatOfGdal) {
    json::Value layout;
    ASSERT_TRUE(PutInLayout(layout, Halves("dem", {"ovr_2x/dem", "ovr_4x/dem"})).ok());
    EXPECT_EQ(json::Dump(layout), json::Dump(Json(R"({"layout": [
        {"asset": "dem", "transform": {"scale": [1.0, 1.0]}},
        {"asset": "ovr_2x", "derived_from": "dem",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average"},
        {"asset": "ovr_4x", "derived_from": "ovr_2x",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average"}]})")));
    EXPECT_TRUE(IsOverviewLayout(layout));
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "dem")), (StringList{"ovr_2x/dem", "ovr_4x/dem"}));
    EXPECT_EQ(OverviewsInLayout(layout, "dem")[1].method, "average");
    EXPECT_TRUE(OverviewsInLayout(layout, "other").empty());
}

TEST(OverviewLayout, HasTheGroupAsBaseOfSeveralArrays) {
    json::Value layout;
    ASSERT_TRUE(PutInLayout(layout, Halves("a", {"ovr_2x/a", "ovr_4x/a"})).ok());
    ASSERT_TRUE(PutInLayout(layout, Halves("b", {"ovr_2x/b"})).ok());
    ASSERT_TRUE(PutInLayout(layout, Halves("c", {"ovr_2x_2/c"})).ok());
    EXPECT_EQ(json::Dump(layout), json::Dump(Json(R"({"layout": [
        {"asset": ".", "transform": {"scale": [1.0, 1.0]}},
        {"asset": "ovr_2x", "derived_from": ".",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "gdal_arrays": ["a", "b"]},
        {"asset": "ovr_2x_2", "derived_from": ".",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "gdal_arrays": ["c"]},
        {"asset": "ovr_4x", "derived_from": ".",
         "transform": {"scale": [4.0, 4.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "gdal_arrays": ["a"]}]})")));
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "a")), (StringList{"ovr_2x/a", "ovr_4x/a"}));
    EXPECT_EQ(OverviewPathsInLayout(layout),
              (StringList{"ovr_2x/a", "ovr_2x/b", "ovr_2x_2/c", "ovr_4x/a"}));
    // Removing the overviews of `a` and `c` leaves a layout of `b` only. If those of `b` are
    // removed, too, the layout must become null.
    ASSERT_TRUE(PutInLayout(layout, Halves("a", {})).ok());
    ASSERT_TRUE(PutInLayout(layout, Halves("c", {})).ok());
    json::Value only;
    ASSERT_TRUE(PutInLayout(only, Halves("b", {"ovr_2x/b"})).ok());
    EXPECT_EQ(json::Dump(layout), json::Dump(only));
    ASSERT_TRUE(PutInLayout(layout, Halves("b", {})).ok());
    EXPECT_TRUE(layout.is_null());
}

TEST(OverviewLayout, AddsALargerLevelBeforeOthers) {
    json::Value layout;
    std::vector<OverviewLevel> levels{{"a", {64, 100}, ""}, {"ovr_4x/a", {16, 25}, "nearest"}};
    ASSERT_TRUE(PutInLayout(layout, levels).ok());
    levels.push_back({"ovr_2x/a", {32, 50}, "nearest"});
    ASSERT_TRUE(PutInLayout(layout, levels).ok());
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "a")), (StringList{"ovr_2x/a", "ovr_4x/a"}));
}

TEST(OverviewLayout, IsNothingElse) {
    for (const char* text :
         {R"({"layout": []})", R"({"layout": [{"asset": "a"}]})", R"({"layout": "ovr_2x"})", "[]",
          R"({"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "ovr_2x"}]})",
          R"({"layout": [{"asset": "l/a"}, {"asset": "ovr_2x", "derived_from": "l/a"}]})",
          R"({"layout": [{"asset": "."}, {"asset": "ovr_2x", "derived_from": "."}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "ovr_2x", "derived_from": "a"},
                         {"asset": "small", "derived_from": "a"}]})"})
        EXPECT_FALSE(IsOverviewLayout(Json(text))) << text;
}

TEST(OverviewLayout, KnowsTheNamesOfGroups) {
    EXPECT_EQ(OverviewGroupName(2, 1), "ovr_2x");
    EXPECT_EQ(OverviewGroupName(16, 3), "ovr_16x_3");
    for (const char* name : {"ovr_2x", "ovr_16x", "ovr_2x_2"})
        EXPECT_TRUE(IsOverviewGroupName(name)) << name;
    for (const char* name : {"", "ovr", "ovr_", "ovr_x", "ovr_2", "ovr_2y", "ovr_2x_", "ovr_2x_a",
                             "ovr_2x2", "over_2x", "ovr_2x/a"})
        EXPECT_FALSE(IsOverviewGroupName(name)) << name;
}

TEST(OverviewLayout, HasAGroupForEachLevel) {
    json::Value layout;
    std::vector<OverviewLevel> levels = Halves("0/a", {"1/a", "2/a"});
    levels[1].place = {{"spatial:shape", Json("[32, 50]")}};
    ASSERT_TRUE(PutInLayout(layout, levels).ok());
    ASSERT_TRUE(PutInLayout(layout, Halves("0/b", {"1/b"})).ok());
    EXPECT_EQ(json::Dump(layout), json::Dump(Json(R"({"layout": [
        {"asset": "0", "transform": {"scale": [1.0, 1.0]}, "gdal_arrays": ["a", "b"]},
        {"asset": "1", "derived_from": "0",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "spatial:shape": [32, 50], "gdal_arrays": ["a", "b"]},
        {"asset": "2", "derived_from": "1",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "gdal_arrays": ["a"]}]})")));
    // Readers treat the level groups as a pyramid, so the layout is not only a list of overviews.
    EXPECT_FALSE(IsOverviewLayout(layout));
    EXPECT_TRUE(IsLevelGroupLayout(layout, "0"));
    EXPECT_FALSE(IsLevelGroupLayout(layout, "1"));
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "0/a")), (StringList{"1/a", "2/a"}));
    EXPECT_EQ(json::Dump(json::Value(OverviewsInLayout(layout, "0/b")[0].place)),
              json::Dump(Json(R"({"spatial:shape": [32, 50]})")));
    for (const char* const other : {"a", "0/c", "1/a"})
        EXPECT_TRUE(OverviewsInLayout(layout, other).empty()) << other;
    EXPECT_EQ(OverviewPathsInLayout(layout), (StringList{"1/a", "1/b", "2/a"}));
}

TEST(OverviewLayout, KeepsTheLargestLevelGroup) {
    json::Value layout;
    ASSERT_TRUE(PutInLayout(layout, Halves("0/a", {})).ok());
    EXPECT_TRUE(IsLevelGroupLayout(layout, "0"));
    const std::string alone = json::Dump(layout);
    ASSERT_TRUE(PutInLayout(layout, Halves("0/a", {"1/a"})).ok());
    ASSERT_TRUE(PutInLayout(layout, Halves("0/a", {})).ok());
    EXPECT_EQ(json::Dump(layout), alone);
    ASSERT_TRUE(PutInLayout(layout, Halves("0/b", {"1/b"})).ok());
    RenameInLayout(layout, "0/b", "c");
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "0/c")), (StringList{"1/c"}));
    // Nothing must change, because `b` names an array in the root, not in the level group 0.
    RenameInLayout(layout, "b", "d");
    EXPECT_EQ(Paths(OverviewsInLayout(layout, "0/c")), (StringList{"1/c"}));
    RenameInLayout(layout, "0/c", "");
    EXPECT_EQ(json::Dump(layout), alone);
    RenameInLayout(layout, "0/a", "");
    EXPECT_TRUE(layout.is_null());
}

TEST(OverviewLayout, NumbersLevelGroupsOfPowersOfTwo) {
    const StringList names{LevelGroupName(2, 1), LevelGroupName(3, 1), LevelGroupName(4, 2),
                           LevelGroupName(1024, 1), LevelGroupName(2147483647, 1)};
    EXPECT_EQ(names, (StringList{"1", "3x", "2_2", "10", "2147483647x"}));
}

TEST(OverviewLayout, TakesLevelGroupsWithoutListsForAnotherProgram) {
    for (
        const char* text :
        {R"({"layout": [{"asset": "0"}]})",
         R"({"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]})",
         R"({"layout": [{"asset": "0", "gdal_arrays": []}]})",
         R"({"layout": [{"asset": "0", "gdal_arrays": ["a"]}, {"asset": "1", "derived_from": "0"}]})",
         R"({"layout": [{"asset": "0", "gdal_arrays": ["a"]},
                         {"asset": "1", "gdal_arrays": ["a"]}]})",
         R"({"layout": [{"asset": "0/1", "gdal_arrays": ["a"]}]})"})
        EXPECT_FALSE(IsLevelGroupLayout(Json(text), "0")) << text;
}

TEST(OverviewStyle, FollowsExistingOverviewsThenTheFormat) {
    const auto style = [](const char* text, Format format) {
        return OverviewStyleOf(Json(text), format);
    };
    EXPECT_EQ(style("{}", Format::kV2), OverviewStyle::kList);
    EXPECT_EQ(style("{}", Format::kV3), OverviewStyle::kLayout);
    EXPECT_EQ(style(R"({"multiscales": []})", Format::kV3), OverviewStyle::kList);
    EXPECT_EQ(style(R"({"multiscales": {"layout": [{"asset": "a"},
                        {"asset": "ovr_2x", "derived_from": "a"}]}})",
                    Format::kV2),
              OverviewStyle::kLayout);
}

TEST(OverviewStyle, RegistersTheConventionWhileItIsFollowed) {
    json::Object attributes;
    const auto put = [&](const StringList& paths) {
        return DescribeOverviewsIn(attributes, OverviewStyle::kLayout, {}, Halves("a", paths));
    };
    ASSERT_TRUE(put({"ovr_2x/a"}).ok());
    ASSERT_TRUE(put({"ovr_2x/a", "ovr_4x/a"}).ok());
    const json::Value* list = json::FindMember(attributes, "zarr_conventions");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->as_array()->size(), 1U);
    EXPECT_EQ(*list->as_array()->front().Find("uuid")->as_string(),
              "d35379db-88df-4056-af3a-620245f8e347");
    RegisterConvention(attributes, Convention::kProj);
    ASSERT_TRUE(put({}).ok());
    EXPECT_EQ(json::FindMember(attributes, "multiscales"), nullptr);
    EXPECT_EQ(json::FindMember(attributes, "zarr_conventions")->as_array()->size(), 1U);
    UnregisterConvention(attributes, Convention::kProj);
    EXPECT_TRUE(attributes.empty());
}

TEST(RegisterConvention, ReplacesAnEntryOfAnOlderVersion) {
    json::Object attributes = *Json(R"({"zarr_conventions": [
        {"uuid": "f17cb550-5864-4468-aeb7-f3180cfb622f", "name": "proj:", "schema_url":
         "https://raw.githubusercontent.com/zarr-experimental/geo-proj/refs/tags/v1/schema.json"},
        {"spec_url": "https://example.com/other"}]})")
                                   .as_object();
    RegisterConvention(attributes, Convention::kProj);
    const json::Array& list = *json::FindMember(attributes, "zarr_conventions")->as_array();
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(*list[0].Find("name")->as_string(), "proj");
    EXPECT_EQ(*list[0].Find("schema_url")->as_string(),
              "https://raw.githubusercontent.com/zarr-conventions/proj/refs/tags/v0.1/schema.json");
    EXPECT_EQ(*list[0].Find("spec_url")->as_string(),
              "https://github.com/zarr-conventions/proj/blob/v0.1/README.md");
    EXPECT_EQ(*list[1].Find("spec_url")->as_string(), "https://example.com/other");
}

TEST(OverviewStyle, LeavesOtherPyramidsAlone) {
    const char* text = R"({"multiscales": {"layout": [{"asset": "0"},
                           {"asset": "1", "derived_from": "0"}]}})";
    json::Object attributes = *Json(text).as_object();
    const Status status =
        DescribeOverviewsIn(attributes, OverviewStyle::kLayout, {}, Halves("a", {"ovr_2x/a"}));
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_TRUE(DescribeOverviewsIn(attributes, OverviewStyle::kLayout, {}, Halves("a", {})).ok());
    EXPECT_EQ(json::Dump(json::Value(attributes)), json::Dump(Json(text)));
}

}  // namespace
}  // namespace zarr
