// SPDX-License-Identifier: MIT
#include "core/conventions/group/overviews.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/attributes/convention_list.h"
#include "core/conventions/catalog/catalog.h"
#include "core/conventions/crs/affine.h"
#include "core/conventions/group/level_statement.h"
#include "core/conventions/group/multiscales.h"

namespace zarr {
namespace {

using test::Json;
using test::StringList;
using test::TreeBuilder;

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

// The attributes of a group, to which descriptions of overviews are added.
struct Group {
    json::Object attributes;

    Status Describe(const std::string& base, const StringList& paths) {
        return DescribeOverviewsIn(attributes, Halves(base, paths));
    }
    std::string Text(std::string_view name = "multiscales") {
        const json::Value* value = json::FindMember(attributes, name);
        return value != nullptr ? json::Dump(*value) : std::string();
    }
    StringList PathsOf(std::string_view base) const {
        StringList paths;
        for (const OverviewLevel& level : OverviewsOf(json::Value(attributes), base))
            paths.push_back(level.path);
        return paths;
    }
    StringList All() const { return AllOverviewPaths(json::Value(attributes)).Take(); }
};

Group GroupWith(const std::string& multiscales) {
    return {*Json("{\"multiscales\": " + multiscales + "}").as_object()};
}

// Returns an entry of a list that an earlier release has written.
std::string OldEntry(const std::string& base, const StringList& paths) {
    std::string datasets = R"({"path": ")" + base + R"("})";
    std::string layout = R"({"asset": ")" + base + R"("})";
    int factor = 2;
    for (const std::string& path : paths) {
        const std::string scale = std::to_string(factor) + ".0";
        datasets += R"(, {"path": ")" + path + R"("})";
        layout += R"(, {"asset": ")" + path + R"(", "derived_from": ")" + base +
                  R"(", "resampling_method": "average", "transform": {"scale": [)" + scale + ", " +
                  scale + R"(], "translation": [0.5, 0.5]}})";
        factor *= 2;
    }
    return R"({"version": "0.4", "name": ")" + base + R"(", "datasets": [)" + datasets +
           R"(], "metadata": {"method": "GDALDataset::BuildOverviews"}, "layout": [)" + layout +
           "]}";
}

TEST(OverviewLayout, IsThatOfGdal) {
    Group group;
    ASSERT_TRUE(group.Describe("dem", {"ovr_2x/dem", "ovr_4x/dem"}).ok());
    EXPECT_EQ(group.Text(), json::Dump(Json(R"({"layout": [
        {"asset": "dem", "transform": {"scale": [1.0, 1.0]}},
        {"asset": "ovr_2x", "derived_from": "dem",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average"},
        {"asset": "ovr_4x", "derived_from": "ovr_2x",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average"}]})")));
    EXPECT_TRUE(IsOverviews(Json(group.Text())));
    EXPECT_EQ(group.PathsOf("dem"), (StringList{"ovr_2x/dem", "ovr_4x/dem"}));
    EXPECT_EQ(OverviewsOf(json::Value(group.attributes), "dem")[1].method, "average");
    EXPECT_TRUE(group.PathsOf("other").empty());
}

TEST(OverviewLayout, HasTheGroupAsBaseOfSeveralArrays) {
    Group group;
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a", "ovr_4x/a"}).ok());
    ASSERT_TRUE(group.Describe("b", {"ovr_2x/b"}).ok());
    ASSERT_TRUE(group.Describe("c", {"ovr_2x_2/c"}).ok());
    EXPECT_EQ(group.Text(), json::Dump(Json(R"({"layout": [
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
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a", "ovr_4x/a"}));
    EXPECT_EQ(group.All(), (StringList{"ovr_2x/a", "ovr_2x/b", "ovr_2x_2/c", "ovr_4x/a"}));
    // Removing the overviews of `a` and `c` leaves a layout of `b` only. If those of `b` are
    // removed, too, the attribute must be absent.
    ASSERT_TRUE(group.Describe("a", {}).ok());
    ASSERT_TRUE(group.Describe("c", {}).ok());
    Group only;
    ASSERT_TRUE(only.Describe("b", {"ovr_2x/b"}).ok());
    EXPECT_EQ(group.Text(), only.Text());
    ASSERT_TRUE(group.Describe("b", {}).ok());
    EXPECT_TRUE(group.attributes.empty());
}

TEST(OverviewLayout, GivesAPyramidForEachArray) {
    Group group;
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a", "ovr_4x/a"}).ok());
    ASSERT_TRUE(group.Describe("b", {"ovr_4x/b"}).ok());
    Warnings warnings;
    const auto found = ReadMultiscales(json::Value(group.attributes)).Report(warnings);
    ASSERT_EQ(found.size(), 2U);
    StringList paths;
    for (const Multiscale& multiscale : found) {
        EXPECT_TRUE(multiscale.is_overviews);
        for (const MultiscaleLevel& level : multiscale.levels) paths.push_back(level.path);
    }
    EXPECT_EQ(paths, (StringList{"a", "ovr_2x/a", "ovr_4x/a", "b", "ovr_4x/b"}));
    EXPECT_TRUE(FindLevels(found, "a", Multiscale::Kind::kLayout).empty())
        << "they say nothing else of the array";
    EXPECT_TRUE(warnings.empty());
}

TEST(OverviewLayout, AddsALargerLevelBeforeOthers) {
    Group group;
    std::vector<OverviewLevel> levels{{"a", {64, 100}, ""}, {"ovr_4x/a", {16, 25}, "nearest"}};
    ASSERT_TRUE(DescribeOverviewsIn(group.attributes, levels).ok());
    levels.push_back({"ovr_2x/a", {32, 50}, "nearest"});
    ASSERT_TRUE(DescribeOverviewsIn(group.attributes, levels).ok());
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a", "ovr_4x/a"}));
}

TEST(OverviewLayout, IsNothingElse) {
    for (const char* text :
         {R"({"layout": []})", R"({"layout": [{"asset": "a"}]})", R"({"layout": "ovr_2x"})", "[]",
          R"({"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "ovr_2x"}]})",
          R"({"layout": [{"asset": "l/a"}, {"asset": "ovr_2x", "derived_from": "l/a"}]})",
          R"({"layout": [{"asset": ".."}, {"asset": "ovr_2x", "derived_from": ".."}]})",
          R"({"layout": [{"asset": "."}, {"asset": "ovr_2x", "derived_from": "."}]})",
          R"({"layout": [{"asset": "."}, {"asset": "ovr_2x", "derived_from": ".",
                         "gdal_arrays": ["../a", "b/c", 5]}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "overviews/2/b", "derived_from": "a"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "other/2/a", "derived_from": "a"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "ovr_2x/a", "derived_from": "a"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "overviews/2", "derived_from": "a"}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "overviews/2/a", "derived_from": "a"}]})",
          R"({"layout": [{"asset": "."}, {"asset": "ovr_2x/.", "derived_from": ".",
                         "gdal_arrays": ["a"]}]})",
          R"({"layout": [{"asset": "a"}, {"asset": "ovr_2x", "derived_from": "a"},
                         {"asset": "small", "derived_from": "a"}]})"})
        EXPECT_FALSE(IsOverviews(Json(text))) << text;
}

TEST(OverviewLayout, KnowsTheNamesOfGroups) {
    EXPECT_EQ(OverviewGroupName(2, 1), "ovr_2x");
    EXPECT_EQ(OverviewGroupName(16, 3), "ovr_16x_3");
    for (const char* name : {"ovr_2x", "ovr_16x", "ovr_2x_2"})
        EXPECT_TRUE(IsOverviewGroupName(name)) << name;
    for (const char* name : {"", "ovr", "ovr_", "ovr_x", "ovr_2", "ovr_2y", "ovr_2x_", "ovr_2x_a",
                             "ovr_2x2", "over_2x", "ovr_2x/a"})
        EXPECT_FALSE(IsOverviewGroupName(name)) << name;
    for (const char* name : {"2", "10", "3x", "2_2", "3x_4"})
        EXPECT_TRUE(IsLevelGroupName(name)) << name;
    for (const char* name : {"", "x", "2y", "2_", "_2", "2x3", "-2"})
        EXPECT_FALSE(IsLevelGroupName(name)) << name;
    for (const char* name : {"overviews", "overviews_2"})
        EXPECT_TRUE(IsOverviewContainerName(name)) << name;
    for (const char* name : {"", "overview", "overviews_", "overviews2", "overviews_a"})
        EXPECT_FALSE(IsOverviewContainerName(name)) << name;
}

TEST(OverviewLayout, HasAGroupForEachLevel) {
    Group group;
    std::vector<OverviewLevel> levels = Halves("0/a", {"1/a", "2/a"});
    levels[1].place = {{"spatial:shape", Json("[32, 50]")}};
    ASSERT_TRUE(DescribeOverviewsIn(group.attributes, levels).ok());
    ASSERT_TRUE(group.Describe("0/b", {"1/b"}).ok());
    EXPECT_EQ(group.Text(), json::Dump(Json(R"({"layout": [
        {"asset": "0", "transform": {"scale": [1.0, 1.0]}, "gdal_arrays": ["a", "b"]},
        {"asset": "1", "derived_from": "0",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "spatial:shape": [32, 50], "gdal_arrays": ["a", "b"]},
        {"asset": "2", "derived_from": "1",
         "transform": {"scale": [2.0, 2.0], "translation": [0.0, 0.0]},
         "resampling_method": "average", "gdal_arrays": ["a"]}]})")));
    // Readers treat the level groups as a pyramid, so the layout is not only a list of overviews.
    EXPECT_FALSE(IsOverviews(Json(group.Text())));
    EXPECT_EQ(group.PathsOf("0/a"), (StringList{"1/a", "2/a"}));
    EXPECT_EQ(json::Dump(json::Value(OverviewsOf(json::Value(group.attributes), "0/b")[0].place)),
              json::Dump(Json(R"({"spatial:shape": [32, 50]})")));
    for (const char* const other : {"a", "0/c", "1/a"})
        EXPECT_TRUE(group.PathsOf(other).empty()) << other;
    EXPECT_EQ(group.All(), (StringList{"1/a", "1/b", "2/a"}));
    EXPECT_EQ(group.Describe("a", {"ovr_2x/a"}).code(), StatusCode::kUnsupported);
    EXPECT_EQ(group.Describe("1/a", {"2/a"}).code(), StatusCode::kUnsupported);
}

TEST(OverviewLayout, KeepsTheLargestLevelGroup) {
    Group group;
    ASSERT_TRUE(group.Describe("0/a", {}).ok());
    const std::string alone = group.Text();
    EXPECT_FALSE(alone.empty());
    ASSERT_TRUE(group.Describe("0/a", {"1/a"}).ok());
    ASSERT_TRUE(group.Describe("0/a", {}).ok());
    EXPECT_EQ(group.Text(), alone);
    ASSERT_TRUE(group.Describe("0/b", {"1/b"}).ok());
    RenameInDescription(group.attributes, "0/b", "c");
    EXPECT_EQ(group.PathsOf("0/c"), (StringList{"1/c"}));
    // Nothing must change, because `b` names an array in the root, not in the level group 0.
    RenameInDescription(group.attributes, "b", "d");
    EXPECT_EQ(group.PathsOf("0/c"), (StringList{"1/c"}));
    RenameInDescription(group.attributes, "0/c", "");
    EXPECT_EQ(group.Text(), alone);
    RenameInDescription(group.attributes, "0/a", "");
    EXPECT_TRUE(group.attributes.empty());
}

TEST(OverviewLayout, IsThatOfTheGroupOfTheLargestLevel) {
    const auto tree = TreeBuilder()
                          .Group("g", R"({"multiscales": {"layout": [
                              {"asset": "0", "gdal_arrays": ["a"]}]}})")
                          .Raster("g/0/a", 8, 12)
                          .Raster("g/1/a", 4, 6)
                          .Tree();
    const OverviewListing largest = ListingOfOverviews(*tree, "g/0/a");
    EXPECT_EQ(largest.group, "g");
    EXPECT_TRUE(largest.has_level_groups);
    const OverviewListing other = ListingOfOverviews(*tree, "g/1/a");
    EXPECT_EQ(other.group, "g/1");
    EXPECT_FALSE(other.has_level_groups);
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
         R"({"layout": [{"asset": "0/1", "gdal_arrays": ["a"]}]})"}) {
        Group group = GroupWith(text);
        EXPECT_EQ(group.Describe("0/a", {"1/a"}).code(), StatusCode::kUnsupported) << text;
    }
}

TEST(OverviewLayout, RegistersTheConventionWhileItIsFollowed) {
    Group group;
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a"}).ok());
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a", "ovr_4x/a"}).ok());
    const json::Value* list = json::FindMember(group.attributes, "zarr_conventions");
    ASSERT_NE(list, nullptr);
    ASSERT_EQ(list->as_array()->size(), 1U);
    EXPECT_EQ(*list->as_array()->front().Find("uuid")->as_string(),
              "d35379db-88df-4056-af3a-620245f8e347");
    RegisterConvention(group.attributes, Convention::kProj);
    ASSERT_TRUE(group.Describe("a", {}).ok());
    EXPECT_EQ(group.Text(), "");
    EXPECT_EQ(json::FindMember(group.attributes, "zarr_conventions")->as_array()->size(), 1U);
    UnregisterConvention(group.attributes, Convention::kProj);
    EXPECT_TRUE(group.attributes.empty());
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

TEST(OverviewLayout, LeavesOtherPyramidsAlone) {
    for (const char* text : {R"({"layout": [{"asset": "0"}, {"asset": "1", "derived_from": "0"}]})",
                             R"({"layout": []})", R"("x")"}) {
        Group group = GroupWith(text);
        EXPECT_EQ(group.Describe("a", {"ovr_2x/a"}).code(), StatusCode::kUnsupported);
        EXPECT_TRUE(group.Describe("a", {}).ok());
        EXPECT_EQ(group.Text(), json::Dump(Json(text)));
        RenameInDescription(group.attributes, "a", "b");
        EXPECT_EQ(group.Text(), json::Dump(Json(text)));
    }
}

TEST(OverviewLayout, IsNoLongerThanReadersAccept) {
    StringList many;
    for (std::size_t i = 1; i <= kMaxPyramidLevels; ++i)
        many.push_back("ovr_2x_" + std::to_string(i) + "/a");
    std::vector<OverviewLevel> levels{{"a", {64, 100}, ""}};
    for (const std::string& path : many) levels.push_back({path, {32, 50}, "mode"});
    Group group;
    EXPECT_EQ(DescribeOverviewsIn(group.attributes, levels).code(), StatusCode::kLimit);
    EXPECT_TRUE(group.attributes.empty());
    levels.pop_back();
    EXPECT_TRUE(DescribeOverviewsIn(group.attributes, levels).ok());
    Warnings warnings;
    EXPECT_EQ(ReadMultiscales(json::Value(group.attributes)).Report(warnings).size(), 1U);
}

// A path that readers leave out must not shift the entries after it.
TEST(OverviewLayout, WithAPathOutsideOfTheGroupIsIgnored) {
    for (const std::string& asset :
         {std::string("ovr_2x/."), "ovr_" + std::string(70000, '1') + "x",
          "overviews/" + std::string(70000, '1')}) {
        const Group group = GroupWith(R"({"metadata": {"method": "GDALDataset::BuildOverviews"},
            "layout": [{"asset": "."}, {"asset": ")" +
                                      asset + R"(", "derived_from": ".", "gdal_arrays": ["a"]}]})");
        Warnings warnings;
        for (const Multiscale& multiscale :
             ReadMultiscales(json::Value(group.attributes)).Report(warnings))
            EXPECT_EQ(multiscale.levels.size(), 1U);
        EXPECT_TRUE(group.PathsOf("a").empty());
        EXPECT_FALSE(warnings.empty());
    }
}

TEST(OverviewLayout, HasOneStatementForAllArraysOfAGroup) {
    std::string numbers = "2";
    for (int i = 0; i < 100; ++i) numbers += ", 2";
    const Group group = GroupWith(R"({"layout": [{"asset": "."}, {"asset": "ovr_2x",
        "derived_from": ".", "transform": {"scale": [2, 2], "translation": [)" +
                                  numbers + R"(]}, "resampling_method": "average",
        "gdal_arrays": ["a", "b"], "gdal_methods": {"b": "mode"}}]})");
    Warnings warnings;
    const auto found = ReadMultiscales(json::Value(group.attributes)).Report(warnings);
    ASSERT_EQ(found.size(), 2U);
    EXPECT_EQ(found[0].levels[1].statement, found[1].levels[1].statement);
    EXPECT_EQ(found[0].levels[1].statement->scale.size(), 2U);
    EXPECT_TRUE(found[0].levels[1].statement->translation.empty()) << "no array has so many axes";
    ASSERT_EQ(warnings.size(), 1U);
    EXPECT_NE(warnings[0].find("at most 64 numbers"), std::string::npos) << warnings[0];
    EXPECT_EQ(OverviewsOf(json::Value(group.attributes), "b")[0].method, "mode");
}

// Returns the `layout` of a group with `count` overviews.
std::string LongLayout(std::size_t count) {
    std::string names;
    for (std::size_t i = 0; i < count; ++i)
        names += (i == 0 ? "\"n" : ", \"n") + std::to_string(i) + "\"";
    return R"({"layout": [{"asset": "."}, {"asset": "ovr_2x", "derived_from": ".",
        "gdal_arrays": [)" +
           names + "]}]}";
}

// If a description is too long to be read, any group may hold an overview.
TEST(OverviewLayout, ThatIsTooLongListsAnyGroup) {
    const std::string half = LongLayout(kMaxOverviewsInGroup / 2);
    const std::string long_one = LongLayout(kMaxOverviewsInGroup + 1);
    Group group = GroupWith("[" + half + ", " + half + ", " + half + "]");
    Warnings warnings;
    const auto found = ReadMultiscales(json::Value(group.attributes)).Report(warnings);
    EXPECT_EQ(found.size(), kMaxOverviewsInGroup) << "the limit is that of the group";
    EXPECT_EQ(warnings.size(), 1U);
    EXPECT_EQ(group.Describe("a", {"ovr_4x/a"}).code(), StatusCode::kLimit);
    EXPECT_TRUE(group.Describe("a", {}).ok());
    for (const std::string& text : {"[" + half + ", " + half + ", " + half + "]", long_one}) {
        const auto tree = TreeBuilder().Group("", "{\"multiscales\": " + text + "}").Tree();
        EXPECT_TRUE(ListsOverviewsIn(*tree, {}, "ovr_8x"));
    }
    const auto tree = TreeBuilder().Group("", "{\"multiscales\": " + half + "}").Tree();
    EXPECT_TRUE(ListsOverviewsIn(*tree, {}, "ovr_2x"));
    EXPECT_FALSE(ListsOverviewsIn(*tree, {}, "ovr_8x"));
}

// Another program has removed the array `b`. Its overviews must not become those of `a`.
TEST(OverviewLayout, IsRenamedToANameThatIsStillListed) {
    Group group;
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a", "ovr_4x/a"}).ok());
    ASSERT_TRUE(group.Describe("b", {"ovr_2x/b", "ovr_8x/b"}).ok());
    RenameInDescription(group.attributes, "a", "b");
    EXPECT_EQ(group.PathsOf("b"), (StringList{"ovr_2x/b", "ovr_4x/b"}));
    EXPECT_EQ(group.All(), (StringList{"ovr_2x/b", "ovr_4x/b"}));
}

// ---------------------------------------------------------------------------------------------
// Lists

// Returns a list of an earlier release, for arrays a0, a1 and so on with `factors` overviews each.
std::string ListOfMany(int arrays, int factors) {
    std::string entries;
    for (int i = 0; i < arrays; ++i) {
        const std::string name = "a" + std::to_string(i);
        StringList paths;
        for (int factor = 1; factor <= factors; ++factor)
            paths.push_back("overviews/" + std::to_string(1 << factor) + "_" +
                            std::to_string(i + 2) + "/" + name);
        entries += (i == 0 ? "" : ", ") + OldEntry(name, paths);
    }
    return "[" + entries + "]";
}

// Each array has groups of its own, so that there are more groups than levels in a pyramid.
TEST(OverviewList, OfManyArraysStaysReadable) {
    for (const std::string& new_name : {std::string("new"), std::string()}) {
        Group group = GroupWith(ListOfMany(44, 6));
        RenameInDescription(group.attributes, "a0", new_name);
        const std::size_t arrays = new_name.empty() ? 43 : 44;
        EXPECT_EQ(group.All().size(), arrays * 6);
        EXPECT_EQ(group.PathsOf("a43").size(), 6U);
        EXPECT_EQ(group.PathsOf("new").size(), new_name.empty() ? 0U : 6U);
        Warnings warnings;
        EXPECT_EQ(ReadMultiscales(json::Value(group.attributes)).Report(warnings).size(), arrays);
        EXPECT_TRUE(warnings.empty()) << warnings[0];
        EXPECT_TRUE(group.Describe("other", {"ovr_2x/other"}).ok());
        EXPECT_TRUE(group.Describe("a1", {}).ok());
        EXPECT_EQ(group.All().size(), (arrays - 1) * 6 + 1);
    }
}

TEST(OverviewList, MayBeLong) {
    Group group = GroupWith(ListOfMany(20000, 1));
    ASSERT_TRUE(group.Describe("b", {"ovr_2x/b"}).ok());
    EXPECT_EQ(group.All().size(), 20001U);
    EXPECT_EQ(group.PathsOf("a19999"), (StringList{"overviews/2_20001/a19999"}));
}

TEST(OverviewList, WithoutAMarkIsThatOfAnotherProgram) {
    Group group =
        GroupWith(R"([{"layout": [{"asset": "a"}, {"asset": "ovr_2x", "derived_from": "a"}]}])");
    const std::string before = group.Text();
    EXPECT_TRUE(group.PathsOf("a").empty());
    EXPECT_EQ(group.All(), (StringList{"ovr_2x"})) << "must not be left over";
    ASSERT_TRUE(group.Describe("b", {"ovr_2x_2/b"}).ok());
    EXPECT_EQ(group.PathsOf("b"), (StringList{"ovr_2x_2/b"}));
    EXPECT_TRUE(group.PathsOf("a").empty());
    ASSERT_TRUE(group.Describe("b", {}).ok());
    EXPECT_EQ(group.Text(), before);
}

TEST(OverviewList, KeepsMarkedEntriesThatCannotBeRead) {
    const std::string broken = R"({"metadata": {"method": "GDALDataset::BuildOverviews"},
        "layout": [{"asset": "c"}, {"asset": "ovr_2x/c", "derived_from": "c"}, {"asset": 5}]})";
    Group group = GroupWith("[" + broken + "]");
    const std::string before = group.Text();
    ASSERT_TRUE(group.Describe("a", {"ovr_4x/a"}).ok());
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_4x/a"}));
    EXPECT_EQ(group.All(), (StringList{"ovr_4x/a", "ovr_2x/c"})) << "must not be left over";
    ASSERT_TRUE(group.Describe("a", {}).ok());
    EXPECT_EQ(group.Text(), before);
}

TEST(OverviewList, OfAnEarlierReleaseIsRead) {
    const std::string other = R"({"datasets": [{"path": "c"}, {"path": "d"}]})";
    const Group group = GroupWith("[" + OldEntry("a", {"overviews/2/a", "overviews/4/a"}) + ", " +
                                  OldEntry("b", {"overviews/2_2/b"}) + ", " + other + "]");
    EXPECT_EQ(group.PathsOf("a"), (StringList{"overviews/2/a", "overviews/4/a"}));
    EXPECT_EQ(OverviewsOf(json::Value(group.attributes), "a")[1].method, "average");
    EXPECT_EQ(group.PathsOf("b"), (StringList{"overviews/2_2/b"}));
    EXPECT_TRUE(group.PathsOf("c").empty()) << "another's";
    EXPECT_EQ(group.All(), (StringList{"overviews/2/a", "overviews/4/a", "overviews/2_2/b"}));
    Warnings warnings;
    const auto found = ReadMultiscales(json::Value(group.attributes)).Report(warnings);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_TRUE(found[0].is_overviews && found[1].is_overviews && !found[2].is_overviews);
    EXPECT_EQ(found[0].levels[1].path, "overviews/2/a");
    EXPECT_TRUE(warnings.empty()) << warnings[0];
}

TEST(OverviewList, OfAnEarlierReleaseBecomesALayout) {
    Group group = GroupWith("[" + OldEntry("2", {"overviews/2/2", "overviews/4/2"}) + ", " +
                            OldEntry("b", {"overviews/2/b"}) + "]");
    ASSERT_TRUE(group.Describe("2", {"overviews/2/2", "overviews/4/2", "ovr_8x/2"}).ok());
    EXPECT_EQ(json::Dump(*Json(group.Text()).Find("layout")->as_array()->at(1).Find("asset")),
              "\"overviews/2\"");
    EXPECT_NE(Json(group.Text()).Find("metadata"), nullptr) << "the mark of groups in overviews";
    EXPECT_EQ(group.PathsOf("2"), (StringList{"overviews/2/2", "overviews/4/2", "ovr_8x/2"}));
    EXPECT_EQ(group.PathsOf("b"), (StringList{"overviews/2/b"}));
    ASSERT_TRUE(group.Describe("b", {}).ok());
    EXPECT_EQ(group.PathsOf("2"), (StringList{"overviews/2/2", "overviews/4/2", "ovr_8x/2"}))
        << "an array whose name is that of a group";
    ASSERT_TRUE(group.Describe("2", {}).ok());
    EXPECT_TRUE(group.attributes.empty());
}

TEST(OverviewList, KeepsOtherEntries) {
    const std::string other = R"({"name": "o", "datasets": [{"path": "a"}, {"path": "a1"}]})";
    Group group = GroupWith("[" + other + "]");
    const std::string before = group.Text();
    ASSERT_TRUE(group.Describe("a", {}).ok());
    EXPECT_EQ(group.Text(), before) << "nothing to take away";
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a"}).ok());
    ASSERT_TRUE(group.Describe("b", {"ovr_2x/b"}).ok());
    const json::Value list = Json(group.Text());
    ASSERT_EQ(list.as_array()->size(), 1U) << "an entry without datasets would be no image";
    EXPECT_NE(list.as_array()->front().Find("layout"), nullptr);
    EXPECT_FALSE(IsOverviews(list.as_array()->front()));
    EXPECT_EQ(group.Text("zarr_conventions"), "");
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a"}));
    Warnings warnings;
    const auto found = ReadMultiscales(json::Value(group.attributes)).Report(warnings);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_TRUE(found[0].is_overviews && found[1].is_overviews && !found[2].is_overviews);
    ASSERT_TRUE(group.Describe("a", {}).ok());
    ASSERT_TRUE(group.Describe("b", {}).ok());
    EXPECT_EQ(group.Text(), before);
}

TEST(OverviewList, KeepsTheLayoutOfAnotherProgram) {
    const std::string other =
        R"({"datasets": [{"path": "o"}], "layout": [{"asset": "o"}, {"asset": "p"}]})";
    Group group = GroupWith("[5, " + other + "]");
    const std::string before = group.Text();
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a"}).ok());
    EXPECT_EQ(Json(group.Text()).as_array()->size(), 3U);
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a"}));
    ASSERT_TRUE(group.Describe("a", {}).ok());
    EXPECT_EQ(group.Text(), before);
}

TEST(OverviewList, HasTheLayoutInTheEntryOfAnImage) {
    Group group;
    ASSERT_TRUE(group.Describe("a", {"ovr_2x/a"}).ok());
    const auto put = [&](const std::string& name) {
        json::Object image{{"name", json::Value(name)},
                           {"datasets", Json(R"([{"path": "a"}, {"path": "ovr_2x/a"}])")},
                           {"metadata", json::Value(ImageMark("a"))}};
        return PutImage(group.attributes, "a", std::move(image));
    };
    ASSERT_TRUE(put("first").ok());
    ASSERT_TRUE(put("second").ok());
    const json::Value list = Json(group.Text());
    ASSERT_EQ(list.as_array()->size(), 1U);
    EXPECT_EQ(*list.as_array()->front().Find("name")->as_string(), "second");
    EXPECT_TRUE(IsImageOf(list.as_array()->front(), "a"));
    EXPECT_FALSE(IsImageOf(list.as_array()->front(), "b"));
    EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a"}));
    Warnings warnings;
    EXPECT_EQ(ReadMultiscales(json::Value(group.attributes)).Report(warnings).size(), 1U);
    EXPECT_TRUE(warnings.empty()) << warnings[0];
    RenameInDescription(group.attributes, "a", "b");
    const json::Value renamed = Json(group.Text());
    ASSERT_EQ(renamed.as_array()->size(), 1U);
    EXPECT_EQ(json::Dump(*renamed.as_array()->front().Find("datasets")),
              json::Dump(Json(R"([{"path": "b"}, {"path": "ovr_2x/b"}])")));
    EXPECT_TRUE(IsImageOf(renamed.as_array()->front(), "b"));
    Group removed = group;
    RenameInDescription(removed.attributes, "b", "");
    EXPECT_EQ(removed.Text(), "") << "the image goes with its array";
    ASSERT_TRUE(group.Describe("b", {}).ok());
    EXPECT_TRUE(group.All().empty());
    EXPECT_EQ(Json(group.Text()).as_array()->size(), 1U) << "the image stays";
    EXPECT_TRUE(IsOverviews(Json(group.Text()).as_array()->front()));
}

// Another program has damaged the metadata entry of the overviews. The entry must be ignored, and
// new overviews must replace the entry.
TEST(OverviewList, MayBeBroken) {
    for (
        const char* entry :
        {R"({"metadata": {"method": "GDALDataset::BuildOverviews"}})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": 5, "layout": {}})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": [], "layout": []})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": [{"path": 1}],
              "layout": [{"asset": "a"}, 5, {"asset": 7}]})",
         R"({"metadata": {"method": 5}})", R"({"metadata": []})", "5", "null"}) {
        Group group = GroupWith("[" + std::string(entry) + "]");
        EXPECT_TRUE(group.All().empty()) << entry;
        EXPECT_TRUE(group.Describe("a", {"ovr_2x/a"}).ok()) << entry;
        EXPECT_EQ(group.PathsOf("a"), (StringList{"ovr_2x/a"})) << entry;
    }
}

TEST(Overviews, GroupsOfOverviewsAreMarked) {
    EXPECT_TRUE(IsOverviewsGroup(json::Value(OverviewsGroupAttributes())));
    for (const char* text :
         {"{}", R"({"gdal_overviews": false})", R"({"gdal_overviews": "yes"})", "[]", "null"})
        EXPECT_FALSE(IsOverviewsGroup(Json(text))) << text;
}

// The array `dem` and its overviews are a pyramid, even if another `multiscales` entry also lists
// `dem`.
TEST(Overviews, AreAPyramid) {
    const std::string entry = OldEntry("dem", {"overviews/2/dem"});
    const std::string other = R"({"datasets": [{"path": "dem", "coordinateTransformations": [
        {"type": "scale", "scale": [3, 3]}]}]})";
    for (const std::string& list : {entry, other + ", " + entry}) {
        const auto tree = TreeBuilder()
                              .Group("", "{\"multiscales\": [" + list + "]}")
                              .Raster("dem", 8, 12)
                              .Group("overviews")
                              .Raster("overviews/2/dem", 4, 6)
                              .Tree();
        Warnings warnings;
        const auto pyramid = FindPyramidOf(*tree, "dem").Report(warnings);
        ASSERT_TRUE(pyramid.has_value());
        EXPECT_TRUE(pyramid->is_overviews);
        EXPECT_EQ(test::TextOf(*pyramid), "dem 12x8, overviews/2/dem 6x4");
        PyramidFaults faults;
        const auto all = FindPyramids(*tree, "", faults);
        faults.Report(warnings);
        ASSERT_FALSE(all.empty());
        EXPECT_TRUE(all.back().is_overviews);
        EXPECT_EQ(all.front().is_overviews, list == entry);
        EXPECT_TRUE(warnings.empty());
        const auto facts = DescribeArray(*tree, "dem");
        ASSERT_TRUE(facts.ok());
        const auto place = FindGeoTransform(*tree, *facts, 1, warnings);
        EXPECT_EQ(place.has_value(), list != entry) << "overviews give no place";
    }
}

TEST(Overviews, InGroupsForThemAreLeftToWhoAsks) {
    const std::string entry = OldEntry("dem", {"overviews/2/dem"});
    for (const bool is_marked : {true, false}) {
        const auto tree = TreeBuilder()
                              .Group("", "{\"multiscales\": [" + entry + "]}")
                              .Raster("dem", 8, 12)
                              .Group("overviews", is_marked ? R"({"gdal_overviews": 1})" : "{}")
                              .Raster("overviews/2/dem", 4, 6)
                              .Tree();
        EXPECT_EQ(HasOverviewsApart(*tree, "dem"), is_marked);
        EXPECT_FALSE(HasOverviewsApart(*tree, ""));
        PyramidFaults faults;
        EXPECT_EQ(FindPyramids(*tree, "", faults, OverviewGroups::kSkipped).empty(), is_marked);
        EXPECT_EQ(FindPyramids(*tree, "", faults).size(), 1U);
        Warnings warnings;
        const auto groups = ListRasters(*tree, "", OverviewGroups::kSkipped).Report(warnings);
        ASSERT_TRUE(groups.ok());
        EXPECT_EQ(groups->size(), is_marked ? 1U : 3U);
        // OverviewGroups::kSkipped hides groups of overviews, unless the caller lists such a group
        // itself.
        const auto own = ListRasters(*tree, "overviews", OverviewGroups::kSkipped).Report(warnings);
        ASSERT_TRUE(own.ok());
        EXPECT_EQ(own->size(), 2U);
        EXPECT_TRUE(warnings.empty());
    }
}

}  // namespace
}  // namespace zarr
