// SPDX-License-Identifier: MIT
#include "core/conventions/array_facts.h"

#include "autotest/cpp/hierarchy/trees.h"

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
                            {"dim1/.zarray", ArrayText("[5]")},
                            {"dim1/.zattrs", "[]"}});
    const auto facts = DescribeArray(*tree, "dem");
    ASSERT_TRUE(Succeeds(facts));
    ASSERT_EQ(facts->warnings.size(), 2U);
    EXPECT_NE(facts->warnings[0].find("dem/.zattrs: not valid JSON"), std::string::npos);
    EXPECT_NE(facts->warnings[1].find("dim1/.zattrs: expected an object"), std::string::npos);
    EXPECT_EQ(facts->axes.x, 1U);
    EXPECT_EQ(facts->axes.y, 0U);
}

}  // namespace
}  // namespace zarr
