// SPDX-License-Identifier: MIT
#include "core/conventions/pyramid/xcube_levels.h"

#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::Fails;
using test::Found;
using test::PyramidOf;
using test::PyramidsOf;
using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

TreeBuilder ThreeLevels(const std::string& folder) {
    TreeBuilder builder;
    builder.Group(folder + "0.zarr").Raster(folder + "0.zarr/chl", 8, 8);
    builder.Group(folder + "1.zarr").Raster(folder + "1.zarr/chl", 4, 4);
    builder.Group(folder + "2.zarr").Raster(folder + "2.zarr/chl", 2, 2);
    return builder;
}

TEST(XcubeLevels, AreFoundWithoutAGroup) {
    const auto tree = ThreeLevels("").Tree();
    const Found found = PyramidsOf(*tree);
    const std::string text = "0.zarr/chl 8x8, 1.zarr/chl 4x4, 2.zarr/chl 2x2";
    EXPECT_EQ(found.pyramids, StringList{text});
    EXPECT_TRUE(found.warnings.empty());
    Warnings warnings;
    for (const char* level : {"0.zarr/chl", "1.zarr/chl", "2.zarr/chl"})
        EXPECT_EQ(PyramidOf(*tree, level, warnings), text);
    EXPECT_TRUE(warnings.empty());
}

TEST(XcubeLevels, BelowTheRootNeedTheNameOrTheFile) {
    const auto named = ThreeLevels("cube.levels/").Tree();
    EXPECT_EQ(PyramidsOf(*named, "cube.levels").pyramids.size(), 1U);
    Warnings warnings;
    EXPECT_NE(PyramidOf(*named, "cube.levels/1.zarr/chl", warnings), "");
    const auto unnamed = ThreeLevels("cube/").Tree();
    EXPECT_TRUE(PyramidsOf(*unnamed, "cube").pyramids.empty());
    EXPECT_EQ(PyramidOf(*unnamed, "cube/1.zarr/chl", warnings), "");
    const auto with_file = ThreeLevels("cube/").Text("cube/.zlevels", "{}").Tree();
    EXPECT_EQ(PyramidsOf(*with_file, "cube").pyramids.size(), 1U);
    EXPECT_TRUE(warnings.empty());
    const auto group = ThreeLevels("cube.levels/").Group("cube.levels").Tree();
    EXPECT_TRUE(PyramidsOf(*group, "cube.levels").pyramids.empty());
}

TEST(XcubeLevels, ThePropertiesCountThem) {
    const auto two =
        ThreeLevels("").Text(".zlevels", R"({"version": "1.0", "num_levels": 2})").Tree();
    EXPECT_EQ(PyramidsOf(*two).pyramids, StringList{"0.zarr/chl 8x8, 1.zarr/chl 4x4"});
    EXPECT_TRUE(PyramidsOf(*two).warnings.empty());
    const auto five = ThreeLevels("").Text(".zlevels", R"({"num_levels": 4})").Tree();
    const Found found = PyramidsOf(*five);
    EXPECT_EQ(found.pyramids.size(), 1U);
    EXPECT_TRUE(
        WarnsOnce(found.warnings, {"xcube levels: level /3.zarr does not exist", "left out"}));
}

TEST(XcubeLevels, BrokenPropertiesGiveAWarning) {
    const std::pair<const char*, const char*> faults[] = {
        {"{", ".zlevels: not valid JSON"},
        {"[1]", ".zlevels: expected an object"},
        {R"({"version": "2.0"})", ".zlevels: version \"2.0\" is unknown"},
        {R"({"version": 1})", ".zlevels: version 1 is unknown"},
        {R"({"num_levels": 0})", ".zlevels: num_levels: expected an integer from 1 to 256, got 0"},
        {R"({"num_levels": "3"})", "num_levels: expected an integer"},
        {R"({"num_levels": 99999999999999})", "num_levels: expected an integer"}};
    for (const auto& [text, warning] : faults) {
        const auto tree = ThreeLevels("").Text(".zlevels", text).Tree();
        const Found found = PyramidsOf(*tree);
        EXPECT_EQ(found.pyramids.size(), 1U) << text;
        EXPECT_TRUE(WarnsOnce(found.warnings, {warning})) << text;
    }
    const Found none = PyramidsOf(*TreeBuilder().Text(".zlevels", "{}").Tree());
    EXPECT_TRUE(none.pyramids.empty());
    EXPECT_TRUE(WarnsOnce(none.warnings, {".zlevels: the folder has no level"}));
}

TEST(XcubeLevels, ALinkInsideIsFollowed) {
    TreeBuilder builder;
    builder.Raster("full.zarr/chl", 8, 8).Text("x.levels/0.link", "../full.zarr\n");
    builder.Raster("x.levels/1.zarr/chl", 4, 4);
    const auto tree = builder.Tree();
    const Found found = PyramidsOf(*tree, "x.levels");
    EXPECT_EQ(found.pyramids, StringList{"full.zarr/chl 8x8, x.levels/1.zarr/chl 4x4"});
    EXPECT_TRUE(found.warnings.empty());
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "x.levels/1.zarr/chl", warnings), found.pyramids[0]);
}

TEST(XcubeLevels, ALinkOutsideIsRefused) {
    for (const char* link : {"../full.zarr", "a/../../full.zarr", "/full.zarr", "s3://b/full.zarr",
                             "C:\\full.zarr", "..\\full.zarr", "", "\n"}) {
        const auto tree = TreeBuilder()
                              .Text("0.link", link)
                              .Raster("1.zarr/chl", 4, 4)
                              .Raster("2.zarr/chl", 2, 2)
                              .Tree();
        const Found found = PyramidsOf(*tree);
        EXPECT_EQ(found.pyramids, StringList{"1.zarr/chl 4x4, 2.zarr/chl 2x2"}) << link;
        EXPECT_TRUE(WarnsOnce(found.warnings, {"0.link: ", "link", "; the level is left out"}));
    }
}

TEST(XcubeLevels, ADanglingOrCircularLinkEnds) {
    const std::pair<const char*, const char*> faults[] = {
        {"absent.zarr", "0.link: level /absent.zarr does not exist"},
        {".", "0.link: level / contains no raster"},
        {"1.zarr", "xcube levels: level /1.zarr is listed twice"}};
    for (const auto& [link, warning] : faults) {
        const auto tree = TreeBuilder().Text("0.link", link).Raster("1.zarr/chl", 4, 4).Tree();
        const Found found = PyramidsOf(*tree);
        EXPECT_EQ(found.pyramids, StringList{"1.zarr/chl 4x4"}) << link;
        EXPECT_TRUE(WarnsOnce(found.warnings, {warning})) << link;
    }
}

TEST(XcubeLevels, ALinkIsNoLargeFile) {
    const auto tree =
        TreeBuilder().Text("0.link", std::string(2'000'000, 'a')).Raster("0.zarr/chl", 4, 4).Tree();
    EXPECT_TRUE(WarnsOnce(PyramidsOf(*tree).warnings, {"0.link"}));
}

TEST(XcubeLevels, LinksAreNormalised) {
    const auto resolve = [](const char* folder, const std::string& link) {
        const auto path = ResolveLink(folder, link);
        return path.ok() ? *path : path.status().message();
    };
    EXPECT_EQ(resolve("a/b", "c"), "a/b/c");
    EXPECT_EQ(resolve("a/b", "./c//d/"), "a/b/c/d");
    EXPECT_EQ(resolve("a/b", "../c"), "a/c");
    EXPECT_EQ(resolve("a/b", "../../c/../d"), "d");
    EXPECT_EQ(resolve("a/b", "../.."), "");
    EXPECT_EQ(resolve("", " c.zarr \r\n"), "c.zarr");
}

TEST(XcubeLevels, LinksThatAreNoPathsAreRefused) {
    for (const std::string& link : {std::string("../../../c"), std::string("a\0b", 3),
                                    std::string(5000, 'a'), std::string("/a"), std::string()})
        EXPECT_TRUE(Fails(ResolveLink("a/b", link), StatusCode::kInvalidArgument)) << link;
    EXPECT_TRUE(Fails(ResolveLink("", ".."), StatusCode::kInvalidArgument, "leads outside"));
}

}  // namespace
}  // namespace zarr
