// SPDX-License-Identifier: MIT
#include "core/conventions/overviews.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/affine.h"
#include "core/conventions/multiscales.h"
#include "core/conventions/ome.h"

namespace zarr {
namespace {

using test::Json;
using test::StringList;
using test::TreeBuilder;

const std::vector<OverviewAxis> kAxes = {
    {"time", AxisRole::kTime}, {"band", AxisRole::kNone}, {"y", AxisRole::kY}, {"x", AxisRole::kX}};

json::Value Entry(const std::string& base, const StringList& levels) {
    std::vector<OverviewLevel> described{{base, {1, 3, 64, 100}, ""}};
    std::uint64_t factor = 2;
    for (const std::string& path : levels) {
        described.push_back({path, {1, 3, 64 / factor, 100 / factor}, "average"});
        factor *= 2;
    }
    return DescribeOverviews(kAxes, described);
}

// Returns group attributes whose `multiscales` has these entries.
json::Value Attributes(std::vector<json::Value> entries) {
    return json::Value(json::Object{{"multiscales", json::Value(json::Array(std::move(entries)))}});
}

std::string Names(const json::Object& attributes) {
    std::string names;
    const json::Value value(attributes);
    const json::Value* list = value.Find("multiscales");
    if (list == nullptr || list->as_array() == nullptr) return "none";
    for (const json::Value& entry : *list->as_array()) names += *entry.Find("name")->as_string();
    return names;
}

TEST(Overviews, AreDescribedForOmeAndForZarrConventions) {
    const json::Value entry = Entry("dem", {"overviews/2/dem"});
    EXPECT_EQ(json::Dump(entry), json::Dump(Json(R"({
        "version": "0.4", "name": "dem",
        "axes": [{"name": "time", "type": "time"}, {"name": "band", "type": "channel"},
                 {"name": "y", "type": "space"}, {"name": "x", "type": "space"}],
        "datasets": [
            {"path": "dem", "coordinateTransformations": [
                {"type": "scale", "scale": [1.0, 1.0, 1.0, 1.0]},
                {"type": "translation", "translation": [0.0, 0.0, 0.0, 0.0]}]},
            {"path": "overviews/2/dem", "coordinateTransformations": [
                {"type": "scale", "scale": [1.0, 1.0, 2.0, 2.0]},
                {"type": "translation", "translation": [0.0, 0.0, 0.5, 0.5]}]}],
        "type": "average",
        "metadata": {"description": "Overviews of the array dem",
                     "method": "GDALDataset::BuildOverviews"},
        "layout": [
            {"asset": "dem", "transform": {"scale": [1.0, 1.0, 1.0, 1.0],
                                           "translation": [0.0, 0.0, 0.0, 0.0]}},
            {"asset": "overviews/2/dem", "derived_from": "dem", "resampling_method": "average",
             "transform": {"scale": [1.0, 1.0, 2.0, 2.0],
                           "translation": [0.0, 0.0, 0.5, 0.5]}}]})")));
    EXPECT_TRUE(IsOverviews(entry));
}

TEST(Overviews, AreFoundAgain) {
    const json::Value attributes =
        Attributes({Entry("a", {"overviews/2/a", "overviews/4/a"}), Entry("b", {"overviews/2_2/b"}),
                    Json(R"({"datasets": [{"path": "c"}, {"path": "d"}]})")});
    ASSERT_NE(FindOverviews(attributes, "a"), nullptr);
    const auto levels = ListOverviews(*FindOverviews(attributes, "a"));
    ASSERT_EQ(levels.size(), 2U);
    EXPECT_EQ(levels[1].path, "overviews/4/a");
    EXPECT_EQ(levels[1].method, "average");
    EXPECT_EQ(FindOverviews(attributes, "c"), nullptr) << "another's";
    EXPECT_EQ(FindOverviews(attributes, "overviews/2/a"), nullptr);
    EXPECT_EQ(AllOverviewPaths(attributes),
              (StringList{"overviews/2/a", "overviews/4/a", "overviews/2_2/b"}));
}

TEST(Overviews, AreReadAsMultiscales) {
    const json::Value attributes = Attributes({Entry("a", {"overviews/2/a"})});
    Warnings warnings;
    const auto found = ReadMultiscales(attributes).Report(warnings);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_TRUE(found[0].is_overviews);
    EXPECT_EQ(found[0].levels.size(), 2U);
    EXPECT_TRUE(warnings.empty());
    EXPECT_TRUE(FindLevels(found, "a").empty()) << "they say nothing else of the array";
}

TEST(Overviews, AreAddedBesideOthers) {
    json::Object attributes{{"title", json::Value(std::string("t"))}};
    EXPECT_TRUE(PutOverviews(attributes, "a", json::Value()).ok());
    EXPECT_EQ(attributes.size(), 1U) << "nothing to take away";
    EXPECT_TRUE(PutOverviews(attributes, "a", Entry("a", {"1"})).ok());
    EXPECT_TRUE(PutOverviews(attributes, "b", Entry("b", {"2"})).ok());
    EXPECT_EQ(Names(attributes), "ab");
    EXPECT_TRUE(PutOverviews(attributes, "a", Entry("a", {"3", "4"})).ok());
    EXPECT_EQ(Names(attributes), "ab") << "in place of the old one";
    EXPECT_EQ(ListOverviews(*FindOverviews(json::Value(attributes), "a")).size(), 2U);
    EXPECT_TRUE(PutOverviews(attributes, "a", json::Value()).ok());
    EXPECT_EQ(Names(attributes), "b");
    EXPECT_TRUE(PutOverviews(attributes, "b", json::Value()).ok());
    EXPECT_EQ(json::Dump(json::Value(attributes)), R"({"title": "t"})");
}

TEST(Overviews, LeaveOtherEntriesAlone) {
    const std::string other = R"({"name": "o", "datasets": [{"path": "a"}, {"path": "a1"}]})";
    json::Object attributes = *Json("{\"multiscales\": [" + other + "]}").as_object();
    EXPECT_TRUE(PutOverviews(attributes, "a", Entry("a", {"1"})).ok());
    EXPECT_EQ(Names(attributes), "oa");
    EXPECT_TRUE(PutOverviews(attributes, "a", json::Value()).ok());
    EXPECT_EQ(json::Dump(json::Value(attributes)),
              json::Dump(Json("{\"multiscales\": [" + other + "]}")));
    EXPECT_TRUE(PutOverviews(attributes, "a", json::Value()).ok());
    EXPECT_EQ(Names(attributes), "o");
}

TEST(Overviews, AreNotAddedToOtherValuesThanLists) {
    for (const char* text : {R"({"multiscales": {"layout": []}})", R"({"multiscales": "x"})"}) {
        json::Object attributes = *Json(text).as_object();
        const Status status = PutOverviews(attributes, "a", Entry("a", {"1"}));
        EXPECT_EQ(status.code(), StatusCode::kUnsupported);
        EXPECT_NE(status.message().find("not a list"), std::string::npos);
        EXPECT_EQ(json::Dump(json::Value(attributes)), json::Dump(Json(text)));
    }
}

TEST(Overviews, AreNoMoreThanReadersAccept) {
    json::Object attributes;
    for (std::size_t i = 0; i < kMaxMultiscales; ++i) {
        const std::string name = "a" + std::to_string(i);
        ASSERT_TRUE(PutOverviews(attributes, name, Entry(name, {"1"})).ok());
    }
    const json::Object before = attributes;
    const Status status = PutOverviews(attributes, "b", Entry("b", {"1"}));
    EXPECT_EQ(status.code(), StatusCode::kLimit);
    EXPECT_EQ(json::Dump(json::Value(attributes)), json::Dump(json::Value(before)));
    EXPECT_TRUE(PutOverviews(attributes, "a0", json::Value()).ok());
    EXPECT_TRUE(PutOverviews(attributes, "b", Entry("b", {"1"})).ok());
    json::Object one;
    const StringList many(kMaxPyramidLevels, "1");
    EXPECT_EQ(PutOverviews(one, "a",
                           DescribeOverviews({}, std::vector<OverviewLevel>(kMaxPyramidLevels + 1,
                                                                            {"a", {}, ""})))
                  .code(),
              StatusCode::kLimit);
}

// Another program has damaged the metadata entry of the overviews. The entry must be ignored, and
// new overviews must replace the entry.
TEST(Overviews, MayBeBroken) {
    for (
        const char* entry :
        {R"({"metadata": {"method": "GDALDataset::BuildOverviews"}})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": 5, "layout": {}})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": [], "layout": []})",
         R"({"metadata": {"method": "GDALDataset::BuildOverviews"}, "datasets": [{"path": 1}],
              "layout": [{"asset": "a"}, 5, {"asset": 7}]})",
         R"({"metadata": {"method": 5}})", R"({"metadata": []})", "5", "null"}) {
        json::Object attributes =
            *Json("{\"multiscales\": [" + std::string(entry) + "]}").as_object();
        EXPECT_EQ(FindOverviews(json::Value(attributes), "a"), nullptr) << entry;
        EXPECT_TRUE(AllOverviewPaths(json::Value(attributes)).empty()) << entry;
        EXPECT_TRUE(PutOverviews(attributes, "a", Entry("a", {"1"})).ok()) << entry;
        EXPECT_NE(FindOverviews(json::Value(attributes), "a"), nullptr) << entry;
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
    std::vector<OverviewLevel> levels{{"dem", {8, 12}, ""}, {"overviews/2/dem", {4, 6}, "mode"}};
    const std::string entry =
        json::Dump(DescribeOverviews({{"y", AxisRole::kY}, {"x", AxisRole::kX}}, levels));
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
    std::vector<OverviewLevel> levels{{"dem", {8, 12}, ""}, {"overviews/2/dem", {4, 6}, "mode"}};
    const std::string entry =
        json::Dump(DescribeOverviews({{"y", AxisRole::kY}, {"x", AxisRole::kX}}, levels));
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
