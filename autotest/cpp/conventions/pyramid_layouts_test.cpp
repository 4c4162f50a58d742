// SPDX-License-Identifier: MIT
// Tests of pyramids in every layout. Each pyramid must be found from its group and from each of its
// levels.
#include "autotest/cpp/conventions/pyramids.h"
#include "core/store/keys.h"

namespace zarr {
namespace {

using test::ExpectOne;
using test::Found;
using test::PyramidOf;
using test::PyramidsOf;
using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

std::string Datasets(const StringList& paths, const std::string& more = "") {
    std::string list;
    for (const std::string& path : paths)
        list += (list.empty() ? "" : ", ") + ("{\"path\": \"" + path + "\"}");
    return "{" + more + "\"datasets\": [" + list + "]}";
}

std::string Multiscales(const StringList& paths, const std::string& more = "") {
    return "{\"multiscales\": [" + Datasets(paths, more) + "]}";
}

TEST(PyramidLayouts, Ome01HasNoAxes) {
    for (const char* version : {"0.1", "0.2"}) {
        const auto tree = TreeBuilder()
                              .Group("img", Multiscales({"0", "1"}, std::string("\"version\": \"") +
                                                                        version + "\", "))
                              .Array("img/0", "[1, 2, 3, 6, 8]")
                              .Array("img/1", "[1, 2, 3, 3, 4]")
                              .Tree();
        ExpectOne(*tree, "img", "img/0 8x6, img/1 4x3", {"img/0", "img/1"});
    }
}

TEST(PyramidLayouts, Ome03HasNamesOfAxes) {
    const auto tree =
        TreeBuilder()
            .Group("", Multiscales({"s0", "s1"}, R"("version": "0.3", "axes": ["x", "y", "c"], )"))
            .Array("s0", "[8, 6, 3]")
            .Array("s1", "[4, 3, 3]")
            .Tree();
    ExpectOne(*tree, "", "s0 8x6, s1 4x3", {"s0", "s1"});
}

TEST(PyramidLayouts, Ome04HasTransformations) {
    const auto tree = TreeBuilder()
                          .Group("", R"({"multiscales": [{"version": "0.4",
                "axes": [{"name": "c", "type": "channel"}, {"name": "y", "type": "space"},
                         {"name": "x", "type": "space"}],
                "datasets": [
                  {"path": "0", "coordinateTransformations": [{"type": "scale",
                                                               "scale": [1, 0.5, 0.5]}]},
                  {"path": "1", "coordinateTransformations": [
                      {"type": "scale", "scale": [1, 1, 1]},
                      {"type": "translation", "translation": [0, 0.25, 0.25]}]}]}]})")
                          .Array("0", "[2, 6, 8]", "{}", "\"|u1\"")
                          .Array("1", "[2, 3, 4]", "{}", "\"|u1\"")
                          .Tree();
    ExpectOne(*tree, "", "0 8x6, 1 4x3", {"0", "1"});
}

TEST(PyramidLayouts, PathsMayLeadDeeper) {
    const auto tree = TreeBuilder()
                          .Group("img", Multiscales({"res/full", "res/half"}))
                          .Raster("img/res/full", 6, 8)
                          .Raster("img/res/half", 3, 4)
                          .Tree();
    ExpectOne(*tree, "img", "img/res/full 8x6, img/res/half 4x3", {"img/res/full", "img/res/half"});
}

TreeBuilder& AddVariables(TreeBuilder& builder, const std::string& group, int height, int width,
                          const StringList& names) {
    builder.Group(group).Axis(group + "/y", height, 60, -60.0 / height);
    builder.Axis(group + "/x", width, 0, 80.0 / width);
    for (const std::string& name : names) builder.Raster(JoinKey(group, name), height, width);
    return builder;
}

TEST(PyramidLayouts, NdpyramidHasGroupsOfVariables) {
    TreeBuilder builder;
    builder.Group("", Multiscales({"0", "1", "2"}, R"("type": "reduce", "metadata": {}, )"));
    AddVariables(builder, "0", 2, 2, {"rain", "temp"});
    AddVariables(builder, "1", 4, 4, {"rain", "temp"});
    AddVariables(builder, "2", 8, 8, {"rain", "temp"});
    const auto tree = builder.Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, (StringList{"2/rain 8x8, 1/rain 4x4, 0/rain 2x2",
                                          "2/temp 8x8, 1/temp 4x4, 0/temp 2x2"}))
        << "largest first, though it is listed last";
    EXPECT_TRUE(found.warnings.empty());
    Warnings warnings;
    for (const char* level : {"0/temp", "1/temp", "2/temp"})
        EXPECT_EQ(PyramidOf(*tree, level, warnings), found.pyramids[1]);
    EXPECT_EQ(PyramidOf(*tree, "2/x", warnings), "2/x 8x1, 1/x 4x1, 0/x 2x1");
    EXPECT_TRUE(warnings.empty());
}

TEST(PyramidLayouts, ALevelNeedNotHaveEveryVariable) {
    TreeBuilder builder;
    builder.Group("", R"({"multiscales": {"layout": [{"asset": "r10"}, {"asset": "r20"}]}})");
    AddVariables(builder, "r10", 8, 8, {"b02"});
    AddVariables(builder, "r20", 4, 4, {"b02", "b05"});
    const auto tree = builder.Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, (StringList{"r10/b02 8x8, r20/b02 4x4", "r20/b05 4x4"}));
    EXPECT_TRUE(found.warnings.empty());
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "r20/b05", warnings), "") << "one level is not a pyramid";
    EXPECT_TRUE(warnings.empty());
}

TEST(PyramidLayouts, AssetsMayBeArrays) {
    const auto tree = TreeBuilder()
                          .Group("p", R"({"multiscales": {"layout": [{"asset": "0/data"},
                              {"asset": "1/data", "derived_from": "0/data",
                               "transform": {"scale": [2, 2], "translation": [0.5, 0.5]}}]}})")
                          .Raster("p/0/data", 6, 8)
                          .Raster("p/0/other", 6, 8)
                          .Raster("p/1/data", 3, 4)
                          .Tree();
    ExpectOne(*tree, "p", "p/0/data 8x6, p/1/data 4x3", {"p/0/data", "p/1/data"});
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "p/0/other", warnings), "");
    EXPECT_TRUE(warnings.empty());
}

TEST(PyramidLayouts, AnAssetMayBeTheGroupItself) {
    const auto tree =
        TreeBuilder()
            .Group("p", R"({"multiscales": {"layout": [{"asset": "."}, {"group": "half"}]}})")
            .Raster("p/dem", 6, 8)
            .Raster("p/half/dem", 3, 4)
            .Tree();
    ExpectOne(*tree, "p", "p/dem 8x6, p/half/dem 4x3", {"p/dem", "p/half/dem"});
}

TEST(PyramidLayouts, TwoMultiscalesAreTwoPyramids) {
    const auto tree = TreeBuilder()
                          .Group("", "{\"multiscales\": [" + Datasets({"b0", "b1"}) + ", " +
                                         Datasets({"a0", "a1"}) + "]}")
                          .Raster("a0", 60, 80)
                          .Raster("a1", 30, 40)
                          .Raster("b0", 6, 8)
                          .Raster("b1", 3, 4)
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, (StringList{"b0 8x6, b1 4x3", "a0 80x60, a1 40x30"}));
    EXPECT_TRUE(found.warnings.empty());
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "a1", warnings), found.pyramids[1]);
}

TEST(PyramidLayouts, TheNearestGroupThatListsAnArrayIsUsed) {
    const auto tree = TreeBuilder()
                          .Group("", Multiscales({"g/0", "g/9"}))
                          .Group("g", Multiscales({"0", "1"}))
                          .Raster("g/0", 6, 8)
                          .Raster("g/1", 3, 4)
                          .Raster("g/9", 1, 2)
                          .Tree();
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "g/0", warnings), "g/0 8x6, g/1 4x3");
    EXPECT_EQ(PyramidOf(*tree, "g/9", warnings), "g/0 8x6, g/9 2x1");
    EXPECT_TRUE(warnings.empty());
}

TEST(PyramidLayouts, OtherStoresHaveNone) {
    const auto tree = TreeBuilder()
                          .Group("")
                          .Raster("a", 6, 8)
                          .Raster("g/a", 3, 4)
                          .Text("g/0.link", "../a")
                          .Group("g")
                          .Tree();
    for (const char* group : {"", "g", "absent"}) {
        const Found found = PyramidsOf(*tree, group);
        EXPECT_TRUE(found.pyramids.empty() && found.warnings.empty()) << group;
    }
    Warnings warnings;
    for (const char* array : {"a", "g/a", "absent", "g", ""})
        EXPECT_EQ(PyramidOf(*tree, array, warnings), "") << array;
    EXPECT_TRUE(warnings.empty());
    const auto one_array = test::Tree({{".zarray", test::ArrayText("[2, 2]")}});
    EXPECT_TRUE(PyramidsOf(*one_array).pyramids.empty());
}

TEST(PyramidLayouts, ABrokenDescriptionIsSkipped) {
    const auto tree = TreeBuilder()
                          .Text(".zattrs", R"({"multiscales": [{"datasets": []}]})")
                          .Raster("0.zarr/dem", 6, 8)
                          .Raster("1.zarr/dem", 3, 4)
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, StringList{"0.zarr/dem 8x6, 1.zarr/dem 4x3"});
    EXPECT_TRUE(WarnsOnce(found.warnings, {"multiscales[0].datasets: is empty"}));
}

TEST(PyramidLayouts, ADescriptionWithoutLevelsGivesAWarning) {
    for (const char* multiscales : {"{}", R"({"layout": [{}]})", "5"}) {
        const auto tree = TreeBuilder()
                              .Group("", std::string("{\"multiscales\": ") + multiscales + "}")
                              .Raster("0/dem", 6, 8)
                              .Tree();
        Warnings warnings;
        EXPECT_EQ(PyramidOf(*tree, "0/dem", warnings), "");
        EXPECT_TRUE(WarnsOnce(warnings, {"multiscales"})) << multiscales;
    }
    // The root lists the arrays as levels, so the invalid `multiscales` of the group g must give no
    // warning.
    const auto tree = TreeBuilder()
                          .Group("", Multiscales({"g/0", "g/1"}))
                          .Group("g", R"({"multiscales": 5})")
                          .Raster("g/0", 6, 8)
                          .Raster("g/1", 3, 4)
                          .Tree();
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "g/0", warnings), "g/0 8x6, g/1 4x3");
    EXPECT_TRUE(warnings.empty());
}

}  // namespace
}  // namespace zarr
