// SPDX-License-Identifier: MIT
#include "core/conventions/ome_containers.h"

#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;
using Kind = OmeContainer::Kind;

TEST(OmeContainers, APlateHasTheImagesOfItsWells) {
    const auto tree =
        TreeBuilder()
            .Group("", R"({"plate": {"wells": [{"path": "A/2", "rowIndex": 0}, {"path": "A/1"}]},
                           "bioformats2raw.layout": 3})")
            .Group("A/1", R"({"well": {"images": [{"path": "0"}, {"path": "1"}]}})")
            .Group("A/2", R"({"well": {"images": [{"path": "0", "acquisition": 0}]}})")
            .Group("A/1/0")
            .Group("A/1/1")
            .Group("A/2/0")
            .Tree();
    Warnings warnings;
    const OmeContainer plate = ReadOmeContainer(*tree, "", warnings);
    EXPECT_EQ(plate.kind, Kind::kPlate);
    EXPECT_EQ(plate.images, (StringList{"A/2/0", "A/1/0", "A/1/1"}));
    const OmeContainer well = ReadOmeContainer(*tree, "A/1", warnings);
    EXPECT_EQ(well.kind, Kind::kWell);
    EXPECT_EQ(well.images, (StringList{"A/1/0", "A/1/1"}));
    EXPECT_EQ(ReadOmeContainer(*tree, "A/1/0", warnings).kind, Kind::kNone);
    EXPECT_TRUE(warnings.empty());
}

TEST(OmeContainers, WhatIsMissingOrBrokenGivesAWarning) {
    const auto tree = TreeBuilder()
                          .Group("", R"({"plate": {"wells": [{"path": "A/1"}, {"path": "A/2"},
                              {"path": "../A"}, {"row": 1}, {"path": "A/3"}]}})")
                          .Group("A/1", R"({"well": {"images": [{"path": "0"}, {"path": "x"}]}})")
                          .Group("A/1/0")
                          .Raster("A/1/x", 2, 2)
                          .Group("A/3")
                          .Tree();
    Warnings warnings;
    EXPECT_EQ(ReadOmeContainer(*tree, "", warnings).images, StringList{"A/1/0"});
    ASSERT_EQ(warnings.size(), 5U);
    EXPECT_NE(warnings[0].find("plate.wells[3]: expected a path"), std::string::npos);
    EXPECT_NE(warnings[1].find("/A/1: well.images: there is no group /A/1/x"), std::string::npos);
    EXPECT_NE(warnings[2].find("plate.wells: there is no group /A/2"), std::string::npos);
    EXPECT_NE(warnings[3].find("\"../A\" is no path"), std::string::npos);
    EXPECT_NE(warnings[4].find("/A/3 has no attribute well"), std::string::npos);
}

TEST(OmeContainers, ListsOfTheWrongTypeGiveAWarning) {
    const std::pair<const char*, const char*> faults[] = {
        {R"({"plate": {}})", "plate: expected an object with \"wells\""},
        {R"({"plate": {"wells": 3}})", "plate.wells: expected an array"},
        {R"({"well": {"images": {}}})", "well.images: expected an array"},
        {R"({"labels": [1]})", "labels[0]: expected a path, got 1"},
        {R"({"labels": ["nuclei"]})", "labels: there is no group /nuclei"},
        {R"({"bioformats2raw.layout": "three"})", "bioformats2raw.layout: \"three\" is unknown"}};
    for (const auto& [attributes, warning] : faults) {
        Warnings warnings;
        const auto tree = TreeBuilder().Group("", attributes).Tree();
        EXPECT_TRUE(ReadOmeContainer(*tree, "", warnings).images.empty());
        EXPECT_TRUE(WarnsOnce(warnings, {warning})) << attributes;
    }
}

TEST(OmeContainers, OtherMeaningsOfTheWordsAreNone) {
    for (const char* attributes :
         {R"({"plate": "Eurasian", "well": 7, "labels": "none"})", R"({"labels": null})", "{}"}) {
        Warnings warnings;
        const auto tree = TreeBuilder().Group("", attributes).Tree();
        EXPECT_EQ(ReadOmeContainer(*tree, "", warnings).kind, Kind::kNone);
        EXPECT_TRUE(warnings.empty()) << attributes;
    }
    Warnings warnings;
    const auto tree = TreeBuilder().Group("a", R"({"labels": ["x", "y"]})").Tree();
    EXPECT_EQ(ReadOmeContainer(*tree, "a", warnings).kind, Kind::kNone);
    EXPECT_TRUE(warnings.empty());
}

TEST(OmeContainers, LabelsLieBesideTheLevels) {
    const auto tree = TreeBuilder()
                          .Group("")
                          .Group("labels", R"({"labels": ["cells", "nuclei", "cells"]})")
                          .Group("labels/cells")
                          .Group("labels/nuclei")
                          .Tree();
    Warnings warnings;
    const OmeContainer labels = ReadOmeContainer(*tree, "labels", warnings);
    EXPECT_EQ(labels.kind, Kind::kLabels);
    EXPECT_EQ(labels.images, (StringList{"labels/cells", "labels/nuclei"}));
    EXPECT_TRUE(warnings.empty());
}

TEST(OmeContainers, SeriesAreListedOrCounted) {
    TreeBuilder builder;
    builder.Group("", R"({"bioformats2raw.layout": 3})").Group("0").Group("1").Group("3");
    Warnings warnings;
    const OmeContainer counted = ReadOmeContainer(*builder.Tree(), "", warnings);
    EXPECT_EQ(counted.kind, Kind::kSeries);
    EXPECT_EQ(counted.images, (StringList{"0", "1"})) << "2 is not there";
    builder.Group("OME", R"({"series": ["3", "0"]})");
    EXPECT_EQ(ReadOmeContainer(*builder.Tree(), "", warnings).images, (StringList{"3", "0"}));
    EXPECT_TRUE(warnings.empty());
    builder.Group("OME", R"({"series": ["9", "0"]})");
    EXPECT_EQ(ReadOmeContainer(*builder.Tree(), "", warnings).images, StringList{"0"});
    EXPECT_TRUE(WarnsOnce(warnings, {"OME: series: there is no group /9"}));
}

}  // namespace
}  // namespace zarr
