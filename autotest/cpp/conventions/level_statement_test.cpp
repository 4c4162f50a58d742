// SPDX-License-Identifier: MIT
// Tests of a multiscale layout that states something wrong about a level, for example a wrong
// scale.
#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::Found;
using test::PyramidOf;
using test::PyramidsOf;
using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

std::string StatingLayout(const std::string& of_level, const std::string& of_base = "") {
    return R"({"multiscales": {"layout": [{"asset": "big")" + of_base + R"(}, {"asset": "small")" +
           of_level + "}]}}";
}

// Returns a store whose root has `attributes` and a pyramid of two levels. Variables a and b have
// two dimensions; c also has a time dimension.
std::shared_ptr<const Hierarchy> StatingGroups(const std::string& attributes) {
    return TreeBuilder()
        .Group("", attributes)
        .Group("big")
        .Raster("big/a", 9, 8)
        .Raster("big/b", 9, 8)
        .Array("big/c", "[3, 9, 8]", R"({"_ARRAY_DIMENSIONS": ["time", "y", "x"]})")
        .Group("small")
        .Raster("small/a", 5, 4)
        .Raster("small/b", 5, 4)
        .Array("small/c", "[3, 5, 4]", R"({"_ARRAY_DIMENSIONS": ["time", "y", "x"]})")
        .Tree();
}

std::shared_ptr<const Hierarchy> StatingArrays(const std::string& attributes) {
    return TreeBuilder()
        .Group("", attributes)
        .Raster("big", 9, 8)
        .Raster("small", 5, 4)
        .Raster("tiny", 2, 2)
        .Array("line", "[8]")
        .Tree();
}

struct WrongStatement {
    const char* of_level;
    const char* warning;
};

class LevelStatementFaults : public testing::TestWithParam<WrongStatement> {};

// A wrong statement about a level applies to the variables a, b and c, but must give only one
// warning. All levels stay in the pyramid.
TEST_P(LevelStatementFaults, GiveAWarning) {
    const auto groups = StatingGroups(StatingLayout(GetParam().of_level));
    const Found of_groups = PyramidsOf(*groups);
    EXPECT_EQ(of_groups.pyramids, (StringList{"big/a 8x9, small/a 4x5", "big/b 8x9, small/b 4x5",
                                              "big/c 8x9, small/c 4x5"}));
    EXPECT_TRUE(WarnsOnce(of_groups.warnings, {"multiscales.layout[1]: ", GetParam().warning}))
        << GetParam().of_level;
    const auto arrays = StatingArrays(StatingLayout(GetParam().of_level));
    const Found of_arrays = PyramidsOf(*arrays);
    EXPECT_EQ(of_arrays.pyramids, StringList{"big 8x9, small 4x5"});
    EXPECT_TRUE(WarnsOnce(of_arrays.warnings, {"multiscales.layout[1]: ", GetParam().warning}));
    Warnings of_base;
    EXPECT_EQ(PyramidOf(*arrays, "big", of_base), "big 8x9, small 4x5");
    EXPECT_TRUE(WarnsOnce(of_base, {GetParam().warning}));
    Warnings of_level;
    PyramidOf(*arrays, "small", of_level);
    EXPECT_TRUE(of_level.empty()) << "it is told where the pyramid is opened";
}

INSTANTIATE_TEST_SUITE_P(
    All, LevelStatementFaults,
    testing::Values(
        WrongStatement{R"(, "derived_from": 7)",
                       "derived_from: expected a path inside the group, got 7"},
        WrongStatement{R"(, "derived_from": "../big")",
                       "derived_from: expected a path inside the group"},
        WrongStatement{R"(, "derived_from": "absent")", "derived_from: /absent does not exist"},
        WrongStatement{R"(, "transform": {"scale": "2"})",
                       "scale: expected numbers above 0, got \"2\""},
        WrongStatement{R"(, "transform": {"scale": [2, 0]})", "scale: expected numbers above 0"},
        WrongStatement{R"(, "scale": [-2, 2])", "scale: expected numbers above 0, got [-2, 2]"},
        WrongStatement{R"(, "transform": {"scale": [2]})",
                       "scale: has 1 numbers, not one for each"},
        WrongStatement{R"(, "derived_from": "big", "transform": {"scale": [2, 1.5]})",
                       "scale: 1.5 along x does not reduce 8 elements to 4"},
        WrongStatement{R"(, "derived_from": "big", "transform": {"scale": [1, 1]})",
                       "scale: 1.0 along y does not reduce 9 elements to 5"},
        WrongStatement{R"(, "transform": {"translation": [0, "1"]})",
                       "translation: expected finite"},
        WrongStatement{R"(, "transform": {"translation": [0]})", "translation: has 1 numbers"},
        WrongStatement{R"(, "spatial:shape": "5, 4")",
                       "spatial:shape: expected the height and the width"},
        WrongStatement{R"(, "spatial:shape": [5])",
                       "spatial:shape: expected the height and the width"},
        WrongStatement{R"(, "spatial:shape": [4, 5])",
                       "spatial:shape: is [4, 5], but the level has [5, 4]"}));

TEST(LevelStatement, IfCorrectGivesNoWarning) {
    for (const char* of_level :
         {R"(, "derived_from": "big", "transform": {"scale": [2, 2]})",
          R"(, "derived_from": "big", "transform": {"scale": [1.8, 2.0]})",
          R"(, "derived_from": "big", "transform": {"scale": [1, 2, 2]})",
          R"(, "derived_from": "big", "transform": {"scale": [2, 2], "translation": [0.5, 0.5]})",
          R"(, "derived_from": ".", "spatial:shape": [5, 4])",
          R"(, "derived_from": null, "transform": null, "spatial:shape": null)",
          R"(, "transform": {"scale": [7, 7]})"}) {
        const Found found = PyramidsOf(*StatingGroups(StatingLayout(of_level)));
        EXPECT_EQ(found.pyramids.size(), 3U) << of_level;
        EXPECT_TRUE(found.warnings.empty()) << of_level << ": " << found.warnings[0];
    }
}

TEST(LevelStatement, MayScaleFromThePreviousLevelOrTheBase) {
    for (const char* scale : {"[2, 2]", "[4, 4]", "[4.5, 4]"}) {
        const auto tree = StatingArrays(
            std::string(R"({"multiscales": {"layout": [{"asset": "big"}, {"asset": "small"},
                            {"asset": "tiny", "derived_from": "small", "transform": {"scale": )") +
            scale + "}}]}}");
        EXPECT_TRUE(PyramidsOf(*tree).warnings.empty()) << scale;
    }
    const auto tree =
        StatingArrays(R"({"multiscales": {"layout": [{"asset": "big"}, {"asset": "small"},
        {"asset": "tiny", "derived_from": "small", "transform": {"scale": [9, 9]}}]}})");
    EXPECT_TRUE(WarnsOnce(PyramidsOf(*tree).warnings,
                          {"layout[2]: scale: 9.0 along y does not reduce 5 elements to 2"}));
}

TEST(LevelStatement, IsCheckedForTheBaseToo) {
    EXPECT_TRUE(WarnsOnce(
        PyramidsOf(*StatingArrays(StatingLayout("", R"(, "spatial:shape": [8, 9])"))).warnings,
        {"multiscales.layout[0]: spatial:shape: is [8, 9], but the level has [9, 8]"}));
}

TEST(LevelStatement, NamesASourceOfOtherDimensions) {
    EXPECT_TRUE(
        WarnsOnce(PyramidsOf(*StatingArrays(StatingLayout(R"(, "derived_from": "line")"))).warnings,
                  {"derived_from: /line has 1 dimensions, unlike the level"}));
}

TEST(LevelStatement, OfALevelThatIsLeftOutIsIgnored) {
    const auto tree = TreeBuilder()
                          .Group("", StatingLayout(R"(, "spatial:shape": [1, 1])"))
                          .Raster("big", 9, 8)
                          .Raster("small", 5, 4, "\"|u1\"")
                          .Tree();
    EXPECT_TRUE(WarnsOnce(PyramidsOf(*tree).warnings, {"it is left out"}));
}

}  // namespace
}  // namespace zarr
