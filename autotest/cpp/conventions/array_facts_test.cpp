// SPDX-License-Identifier: MIT
#include "core/conventions/facts/array_facts.h"

#include "autotest/cpp/hierarchy/trees.h"
#include "core/conventions/attributes/colour.h"
#include "core/conventions/cf/flags.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Fails;
using test::Succeeds;
using test::Tree;

TEST(CoordinateArray, IsTheNearestOfTheSameNameAndSize) {
    const auto tree = Tree({{"x/.zarray", ArrayText("[5]")},
                            {"y/.zarray", ArrayText("[4]")},
                            {"flat/.zarray", ArrayText("[4, 5]")},
                            {"a/b/y/.zarray", ArrayText("[7]")},
                            {"a/x/.zarray", ArrayText("[5]")},
                            {"broken/.zarray", "{"}});
    const auto find = [&](const char* group, const char* name, std::uint64_t size) {
        return FindCoordinateArray(*tree, group, name, size);
    };
    EXPECT_EQ(find("a/b", "x", 5), "a/x");
    EXPECT_EQ(find("a/b", "y", 7), "a/b/y");
    EXPECT_EQ(find("a/b", "y", 4), "y") << "another size is another dimension";
    EXPECT_EQ(find("", "x", 5), "x");
    for (const char* name : {"flat", "broken", "absent", "", "..", "a/x", "b\\y"})
        EXPECT_EQ(find("a/b", name, 5), "") << name;
}

TEST(ArrayFacts, PutEverythingTogether) {
    const auto tree = Tree({{"dem/.zarray", ArrayText("[2, 4, 5]")},
                            {"dem/.zattrs", R"({"_ARRAY_DIMENSIONS": ["time", "u", "v"]})"},
                            {"u/.zarray", ArrayText("[4]")},
                            {"u/.zattrs", R"({"axis": "X"})"},
                            {"v/.zarray", ArrayText("[5]")},
                            {"v/.zattrs", R"({"axis": "Y"})"}});
    const auto facts = DescribeArray(*tree, "dem");
    ASSERT_TRUE(Succeeds(facts));
    ASSERT_EQ(facts->dimensions.size(), 3U);
    EXPECT_EQ(facts->dimensions[0].coordinate_path, "");
    EXPECT_EQ(facts->dimensions[1].coordinate_path, "u");
    EXPECT_EQ(facts->dimensions[1].size, 4U);
    EXPECT_EQ(facts->axes.x, 1U);
    EXPECT_EQ(facts->axes.y, 2U);
    EXPECT_TRUE(facts->warnings.empty());
    EXPECT_TRUE(Fails(DescribeArray(*tree, "absent"), StatusCode::kNotFound, "absent/.zarray"));
}

TEST(ArrayFacts, BrokenAttributesCostAWarning) {
    const auto tree = Tree({{"dem/.zarray", ArrayText("[4, 5]")},
                            {"dem/.zattrs", "{broken"},
                            {"slope/.zarray", ArrayText("[4, 5]")},
                            {"slope/.zattrs", R"({"_ARRAY_DIMENSIONS": ["along", "across"]})"},
                            {"across/.zarray", ArrayText("[5]")},
                            {"across/.zattrs", "[]"}});
    const auto dem = DescribeArray(*tree, "dem");
    ASSERT_TRUE(Succeeds(dem));
    ASSERT_EQ(dem->warnings.size(), 1U);
    EXPECT_NE(dem->warnings[0].find("dem/.zattrs: not valid JSON"), std::string::npos);
    EXPECT_EQ(dem->axes.x, 1U);
    EXPECT_EQ(dem->axes.y, 0U);
    const auto slope = DescribeArray(*tree, "slope");
    ASSERT_TRUE(Succeeds(slope));
    ASSERT_EQ(slope->warnings.size(), 1U);
    EXPECT_NE(slope->warnings[0].find("across/.zattrs: expected an object"), std::string::npos);
}

// Dimensions without names get the names dim0 and dim1. Arrays named "dim0" or "dim1" must not
// become their coordinates.
TEST(ArrayFacts, ArraysBesideOneWithoutNamedDimensionsAreNotItsCoordinates) {
    const auto tree = Tree({{"dem/.zarray", ArrayText("[4, 5]")},
                            {"dim0/.zarray", ArrayText("[4]")},
                            {"dim1/.zarray", ArrayText("[5]")}});
    const auto facts = DescribeArray(*tree, "dem");
    ASSERT_TRUE(Succeeds(facts));
    for (const Dimension& dimension : facts->dimensions)
        EXPECT_EQ(dimension.coordinate_path, "") << dimension.name;
}

TEST(FlagColours, BelongToValuesThatAreClasses) {
    const auto count = [](const std::string& attributes) {
        const auto parsed = json::Parse(attributes);
        EXPECT_TRUE(Succeeds(parsed));
        return FlagColours(*parsed).size();
    };
    const std::string flags = R"({"flag_values": [1, 4], "flag_meanings": "a b", "flag_colors": )";
    EXPECT_EQ(count(flags + R"("#000000 ffEE01"})"), 2U);
    EXPECT_EQ(count(flags + R"(["#000000", "#ffEE01"]})"), 2U);
    for (const char* wrong : {R"("#000000")", R"("#000000 red")", R"("#000000 #12345")", "[1, 2]",
                              "7", R"("")", R"(["#000000", 2])"})
        EXPECT_EQ(count(flags + wrong + "}"), 0U) << wrong;
    EXPECT_EQ(count(R"({"flag_values": [1, -1], "flag_meanings": "a b",
                       "flag_colors": "#000000 #ffffff"})"),
              0U);
    EXPECT_EQ(count(R"({"flag_colors": "#000000 #ffffff"})"), 0U);
    const auto parsed = json::Parse(flags + R"("#000000 #ffEE01"})");
    const std::pair<std::int64_t, Colour> last{4, {255, 238, 1}};
    EXPECT_EQ(FlagColours(*parsed).back(), last);
}

}  // namespace
}  // namespace zarr
