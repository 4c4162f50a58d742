// SPDX-License-Identifier: MIT
// Tests which listed levels are accepted into a pyramid.
#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::Found;
using test::PyramidOf;
using test::PyramidsOf;
using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

const char* const kThree =
    R"({"multiscales": [{"datasets": [{"path": "a"}, {"path": "b"}, {"path": "c"}]}]})";

// Returns the pyramids of a group that lists the levels a, b and c. `add_b` adds the level b to the
// store.
template <class AddB>
Found With(AddB add_b) {
    TreeBuilder builder;
    builder.Group("", kThree).Raster("a", 8, 8).Raster("c", 2, 2);
    add_b(builder);
    return PyramidsOf(*builder.Tree());
}

// Level b must be left out of the pyramid, with one warning. The warning says where b is listed,
// and `why` it is left out.
template <class AddB>
void ExpectLeftOut(AddB add_b, const std::string& why) {
    const Found found = With(add_b);
    EXPECT_EQ(found.pyramids, StringList{"a 8x8, c 2x2"}) << why;
    EXPECT_TRUE(WarnsOnce(found.warnings,
                          {"multiscales[0].datasets[1]: level /b " + why, "; it is left out"}));
}

TEST(PyramidLevels, ThatFitAreKept) {
    const Found found = With([](TreeBuilder& tree) { tree.Raster("b", 4, 8); });
    EXPECT_EQ(found.pyramids, StringList{"a 8x8, b 8x4, c 2x2"}) << "smaller along Y alone";
    EXPECT_TRUE(found.warnings.empty());
    const Found swapped = With([](TreeBuilder& tree) { tree.Raster("b", 4, 4, "\">f4\""); });
    EXPECT_EQ(swapped.pyramids, StringList{"a 8x8, b 4x4, c 2x2"}) << "byte order does not matter";
}

TEST(PyramidLevels, ThatDoNotFitAreLeftOut) {
    ExpectLeftOut([](TreeBuilder&) {}, "does not exist");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Group("b"); },
                  "is a group, but other levels are arrays");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Text("b/.zarray", "{"); },
                  "cannot be read: b/.zarray: ");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Raster("b", 4, 4, "\"<i2\""); },
                  "has dtype <i2, not <f4 as /a");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Array("b", "[1, 4, 4]"); },
                  "has 3 dimensions, not 2 as /a");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Array("b", "[4]"); }, "is not a raster");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Array("b", "[0, 4]"); }, "is not a raster");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Raster("b", 4, 4, "\"<U2\""); }, "is not a raster");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Raster("b", 8, 8); }, "is of the size of /a, 8 x 8");
    ExpectLeftOut([](TreeBuilder& tree) { tree.Raster("b", 2, 20); },
                  "of 20 x 2 is not smaller than /a of 8 x 8");
    ExpectLeftOut(
        [](TreeBuilder& tree) {
            tree.Array("b", "[4, 4]", R"({"_ARRAY_DIMENSIONS": ["x", "y"]})");
        },
        "has its X and Y among other dimensions");
    ExpectLeftOut(
        [](TreeBuilder& tree) {
            std::string text = test::ArrayText("[4, 4]");
            text.replace(text.find("\"compressor\": null"), 18,
                         R"("compressor": {"id": "strange"})");
            tree.Text("b/.zarray", text);
        },
        "cannot be read: compressor: ");
}

TEST(PyramidLevels, OtherDimensionsMustBeEqual) {
    const auto found = [](const std::string& dimension, const char* shape) {
        const std::string names = "{\"_ARRAY_DIMENSIONS\": [\"" + dimension + "\", \"y\", \"x\"]}";
        return PyramidsOf(
            *TreeBuilder()
                 .Group("", R"({"multiscales": [{"datasets": [{"path": "a"}, {"path": "b"}]}]})")
                 .Array("a", "[3, 8, 8]", R"({"_ARRAY_DIMENSIONS": ["time", "y", "x"]})")
                 .Array("b", shape, dimension.empty() ? "{}" : names)
                 .Tree());
    };
    EXPECT_EQ(found("time", "[3, 4, 4]").pyramids, StringList{"a 8x8, b 4x4"});
    EXPECT_EQ(found("", "[3, 4, 4]").pyramids, StringList{"a 8x8, b 4x4"}) << "has no name";
    EXPECT_TRUE(WarnsOnce(found("time", "[2, 4, 4]").warnings,
                          {"level /b has 2 elements along time, not 3 as /a"}));
    EXPECT_TRUE(WarnsOnce(found("band", "[3, 4, 4]").warnings,
                          {"level /b has the dimension band in place of time as /a"}));
}

TEST(PyramidLevels, TheLargestIsTheBase) {
    const auto tree = TreeBuilder()
                          .Group("", kThree)
                          .Raster("a", 2, 2)
                          .Raster("b", 8, 8)
                          .Raster("c", 4, 4)
                          .Tree();
    EXPECT_EQ(PyramidsOf(*tree).pyramids, StringList{"b 8x8, c 4x4, a 2x2"});
}

TEST(PyramidLevels, ShrinkFromOneToTheNext) {
    const Found found = With([](TreeBuilder& tree) { tree.Raster("b", 2, 2); });
    EXPECT_EQ(found.pyramids, StringList{"a 8x8, b 2x2"});
    EXPECT_TRUE(WarnsOnce(found.warnings, {"level /c is of the size of /b, 2 x 2"}));
    const Found wider = With([](TreeBuilder& tree) { tree.Raster("b", 1, 3); });
    EXPECT_EQ(wider.pyramids, StringList{"a 8x8, c 2x2"});
    EXPECT_TRUE(WarnsOnce(wider.warnings, {"level /b of 3 x 1 is not smaller than /c of 2 x 2"}));
}

TEST(PyramidLevels, AreListedOnce) {
    const auto tree = TreeBuilder()
                          .Group("", R"({"multiscales": [{"datasets": [{"path": "a"},
                              {"path": "b"}, {"path": "a"}]}]})")
                          .Raster("a", 8, 8)
                          .Raster("b", 4, 4)
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, StringList{"a 8x8, b 4x4"});
    EXPECT_TRUE(WarnsOnce(found.warnings, {"datasets[2]: level /a is listed twice"}));
}

TEST(PyramidLevels, WarningsBelongToTheBase) {
    const auto tree = TreeBuilder().Group("", kThree).Raster("a", 8, 8).Raster("c", 2, 2).Tree();
    Warnings warnings;
    EXPECT_EQ(PyramidOf(*tree, "c", warnings), "a 8x8, c 2x2");
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(PyramidOf(*tree, "a", warnings), "a 8x8, c 2x2");
    EXPECT_TRUE(WarnsOnce(warnings, {"level /b does not exist"}));
}

TEST(PyramidLevels, ALevelThatIsLeftOutHasNoPyramid) {
    Warnings warnings;
    const auto rest = TreeBuilder()
                          .Group("", kThree)
                          .Raster("a", 8, 8)
                          .Raster("b", 4, 4, "\"|u1\"")
                          .Raster("c", 2, 2, "\"|u1\"")
                          .Tree();
    EXPECT_EQ(PyramidOf(*rest, "b", warnings), "") << "left out, so it has none";
    EXPECT_TRUE(warnings.empty());
    EXPECT_EQ(PyramidOf(*rest, "a", warnings), "") << "one level is not a pyramid";
    EXPECT_EQ(warnings.size(), 2U);
}

// Returns the pyramids of a group with the levels a, b and c. The x coordinates of level b begin at
// the outer edge `from` and have the spacing `spacing`.
Found WithExtent(double from, double spacing) {
    TreeBuilder builder;
    builder.Group("", kThree);
    builder.Axis("a/x", 8, 100, 10).Axis("a/y", 8, 100, -10).Raster("a/v", 8, 8);
    builder.Axis("b/x", 4, from, spacing).Axis("b/y", 4, 100, -20).Raster("b/v", 4, 4);
    builder.Raster("c/v", 2, 2);
    return PyramidsOf(*builder.Tree());
}

TEST(PyramidLevels, CoverTheSameExtentToAPixel) {
    for (const double from : {100.0, 110.0, 120.0, 80.0}) {
        const Found found = WithExtent(from, 20);
        EXPECT_EQ(found.pyramids, StringList{"a/v 8x8, b/v 4x4, c/v 2x2"}) << from;
        EXPECT_TRUE(found.warnings.empty());
    }
}

TEST(PyramidLevels, OfAnotherExtentAreLeftOut) {
    for (const double from : {121.0, 79.0, 1000.0}) {
        const Found found = WithExtent(from, 20);
        EXPECT_EQ(found.pyramids, StringList{"a/v 8x8, c/v 2x2"}) << from;
        EXPECT_TRUE(
            WarnsOnce(found.warnings, {"datasets[1]: level /b/v covers another extent than /a/v"}));
    }
    EXPECT_EQ(WithExtent(100, 24.9).pyramids, StringList{"a/v 8x8, b/v 4x4, c/v 2x2"});
    EXPECT_EQ(WithExtent(100, 40).pyramids, StringList{"a/v 8x8, c/v 2x2"});
    EXPECT_EQ(WithExtent(180, -20).pyramids, StringList{"a/v 8x8, c/v 2x2"}) << "mirrored";
}

TEST(PyramidLevels, MayStateTheirExtentAsAttributes) {
    const auto found = [](const char* transform) {
        return PyramidsOf(
            *TreeBuilder()
                 .Group("", R"({"multiscales": [{"datasets": [{"path": "a"}, {"path": "b"}]}]})")
                 .Array("a", "[8, 8]", R"({"proj:transform": [3, 4, 100, 4, -3, 200]})")
                 .Array("b", "[4, 4]", std::string("{\"proj:transform\": ") + transform + "}")
                 .Tree());
    };
    EXPECT_EQ(found("[6, 8, 100, 8, -6, 200]").pyramids, StringList{"a 8x8, b 4x4"});
    EXPECT_EQ(found("[6, 8, 109, 8, -6, 200]").pyramids, StringList{"a 8x8, b 4x4"});
    EXPECT_EQ(found("[6, 8, 112, 8, -6, 208]").pyramids, StringList{"a 8x8"});
    EXPECT_EQ(found("[6, -8, 100, 8, 6, 200]").pyramids, StringList{"a 8x8"});
    const Found broken = found("[0, 0, 0, 0, 0, 0]");
    EXPECT_EQ(broken.pyramids, StringList{"a 8x8, b 4x4"}) << "none is known";
    EXPECT_TRUE(WarnsOnce(broken.warnings, {"datasets[1]: attribute proj:transform"}));
}

TEST(PyramidLevels, TheGroupsExtentIsNotALevelsOwn) {
    const auto tree = TreeBuilder()
                          .Group("", R"({"spatial:transform": [10, 0, 500, 0, -10, 900],
                              "multiscales": {"layout": [{"asset": "a"}, {"asset": "b"}]}})")
                          .Raster("a", 8, 8)
                          .Raster("b", 4, 4)
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, StringList{"a 8x8, b 4x4"});
    EXPECT_TRUE(found.warnings.empty());
}

// Returns the pyramids of an OME-NGFF image with two levels, of `base` x `base` and of `size` x
// `size` pixels.
Found Ome(int base, int size, const std::string& transformations) {
    const auto shape = [](int n) {
        return "[" + std::to_string(n) + ", " + std::to_string(n) + "]";
    };
    return PyramidsOf(*TreeBuilder()
                           .Group("", R"({"multiscales": [{"version": "0.4", "axes": [{"name": "y"},
                 {"name": "x"}], "datasets": [{"path": "0", "coordinateTransformations":
                 [{"type": "scale", "scale": [0.5, 0.5]}]}, {"path": "1",
                 "coordinateTransformations": )" +
                                          transformations + "}]}]}")
                           .Array("0", shape(base))
                           .Array("1", shape(size))
                           .Tree());
}

TEST(PyramidLevels, OfOmeMayBeHalfAPixelOff) {
    // Halving 135 pixels three times gives 16 pixels if each result is rounded down. The last 7
    // pixels are lost. The metadata also omit the translation by half a pixel.
    const Found sloppy = Ome(135, 16, R"([{"type": "scale", "scale": [4, 4]}])");
    EXPECT_EQ(sloppy.pyramids, StringList{"0 135x135, 1 16x16"});
    EXPECT_TRUE(sloppy.warnings.empty());
    const Found exact = Ome(128, 16, R"([{"type": "scale", "scale": [4, 4]},
        {"type": "translation", "translation": [1.75, 1.75]}])");
    EXPECT_EQ(exact.pyramids, StringList{"0 128x128, 1 16x16"});
    const Found elsewhere = Ome(128, 16, R"([{"type": "scale", "scale": [4, 4]},
        {"type": "translation", "translation": [1.75, 7.75]}])");
    EXPECT_EQ(elsewhere.pyramids, StringList{"0 128x128"});
    EXPECT_TRUE(WarnsOnce(elsewhere.warnings, {"datasets[1]: level /1 covers another extent"}));
    const Found scale = Ome(128, 16, R"([{"type": "scale", "scale": [2, 2]}])");
    EXPECT_EQ(scale.pyramids, StringList{"0 128x128"});
}

TEST(PyramidLevels, AScaleOfZeroIsIgnored) {
    for (const char* scale : {"[0, 4]", "[4, -4]", "[4]", "\"4\"", "[4, null]"}) {
        const Found found =
            Ome(128, 16, std::string(R"([{"type": "scale", "scale": )") + scale + "}]");
        EXPECT_EQ(found.pyramids, StringList{"0 128x128, 1 16x16"}) << scale;
        EXPECT_TRUE(WarnsOnce(found.warnings, {"multiscales[0].datasets[1]", "scale: expected"}));
    }
}

// Returns a pyramid of two levels. Each level has twenty variables.
TreeBuilder ManyVariables() {
    TreeBuilder builder;
    builder.Group("", R"({"multiscales": [{"datasets": [{"path": "a"}, {"path": "b"}]}]})");
    builder.Axis("a/x", 8, 0, 1).Axis("a/y", 8, 0, 1).Axis("b/x", 4, 0, 2).Axis("b/y", 4, 0, 2);
    for (int i = 0; i < 20; ++i) {
        builder.Raster("a/v" + std::to_string(i), 8, 8);
        builder.Raster("b/v" + std::to_string(i), 4, 4);
    }
    return builder;
}

TEST(PyramidLevels, OfManyVariablesShareTheirCoordinates) {
    const auto spy = std::make_shared<test::SpyStore>(ManyVariables().Tree()->store());
    const auto tree = test::Tree(spy);
    EXPECT_EQ(PyramidsOf(*tree).pyramids.size(), 20U);
    EXPECT_EQ(spy->gets_into, 4) << "the chunk of each coordinate array once, none of a variable";
}

TEST(PyramidLevels, OfManyVariablesWarnOnce) {
    const Found found = PyramidsOf(*ManyVariables().Text("b/x/0", "short").Tree());
    EXPECT_EQ(found.pyramids.size(), 20U);
    EXPECT_TRUE(WarnsOnce(found.warnings, {"datasets[1]: b/x/0"})) << "told once, not for each";
}

}  // namespace
}  // namespace zarr
