// SPDX-License-Identifier: MIT
#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/attributes/axis_roles.h"
#include "core/conventions/facts/array_facts.h"
#include "core/conventions/group/multiscales.h"
#include "core/conventions/ome/ome_axes.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::StringList;
using test::TreeBuilder;

// Returns group attributes with an OME image `name` in `multiscales`, which has the axes x and y
// and one level.
std::string Image(const std::string& name, const std::string& level) {
    return R"({"multiscales": [{"version": "0.4", "name": ")" + name +
           R"(", "axes": [{"name": "x", "type": "space", "unit": "metre"}, )" +
           R"({"name": "y", "type": "space"}], "datasets": [{"path": ")" + level + R"("}]}]})";
}

std::string NameOf(const LevelListing& listing) {
    return listing.is_listed() ? *StringAttribute(*listing.levels[0].multiscale, "name") : "";
}

TEST(LevelListing, IsFoundAtAnyDepth) {
    for (const char* level : {"0", "scale0/image", "a/b/c/0"}) {
        for (const char* group : {"", "img", "plate/A/1/0"}) {
            const std::string path = (*group != 0 ? std::string(group) + "/" : "") + level;
            const auto tree =
                TreeBuilder().Group(group, Image("it", level)).Array(path, "[8, 6]").Tree();
            const LevelListing listing = ListingOf(*tree, path);
            EXPECT_EQ(NameOf(listing), "it") << path;
            EXPECT_EQ(listing.group, group) << path;
            EXPECT_FALSE(ListingOf(*tree, path + "1").is_listed());
            EXPECT_FALSE(ListingOf(*tree, path, Multiscale::Kind::kLayout).is_listed());
            const auto facts = DescribeArray(*tree, path);
            ASSERT_TRUE(test::Succeeds(facts));
            EXPECT_EQ(facts->dimensions[0].name, "x") << path;
            EXPECT_EQ(facts->axes.x, std::optional<std::size_t>(0)) << path;
        }
    }
}

TEST(LevelListing, IsOfTheNearestGroup) {
    const auto tree = TreeBuilder()
                          .Group("", Image("outer", "in/0"))
                          .Group("in", Image("inner", "0"))
                          .Group("other", Image("another", "1"))
                          .Array("in/0", "[8, 6]")
                          .Tree();
    EXPECT_EQ(NameOf(ListingOf(*tree, "in/0")), "inner");
    EXPECT_EQ(NameOf(ListingOf(*tree, "other/1")), "another");
    EXPECT_EQ(NameOf(ListingOf(*tree, "in/0")), "inner") << "also after another group";
    EXPECT_EQ(NameOf(ListingOf(*tree, "in/1")), "");
    EXPECT_EQ(NameOf(ListingOf(*tree, "")), "");
}

TEST(LevelListing, OutlivesItsHierarchy) {
    const auto tree = TreeBuilder().Group("", Image("it", "0")).Array("0", "[8, 6]").Tree();
    const LevelListing listing = ListingOf(*tree, "0");
    EXPECT_EQ(NameOf(listing), "it");
    const auto axes = FindOmeAxes(listing.levels, 2);
    ASSERT_EQ(axes.size(), 2U);
    EXPECT_EQ(axes[0].unit, "metre");
    EXPECT_TRUE(FindOmeAxes(listing.levels, 3).empty()) << "of another rank";
}

TEST(LevelListing, IgnoresBrokenAttributes) {
    const auto tree = TreeBuilder()
                          .Group("", Image("it", "a/0"))
                          .Text("a/.zattrs", "{")
                          .Array("a/0", "[8, 6]")
                          .Tree();
    EXPECT_EQ(NameOf(ListingOf(*tree, "a/0")), "it");
}

TEST(ColourImages, AreRecognisedByTypeAndShape) {
    const auto is = [](const char* shape, const char* dtype) {
        const auto metadata = ParseArrayMetadata(test::ArrayText(shape, dtype));
        EXPECT_TRUE(test::Succeeds(metadata));
        return IsColourImage(*metadata);
    };
    for (const char* dtype : {R"("|u1")", R"("<u2")", R"(">u2")"}) {
        EXPECT_TRUE(is("[24, 24, 3]", dtype));
        EXPECT_TRUE(is("[32, 5000, 4]", dtype));
        for (const char* shape :
             {"[23, 99, 3]", "[99, 23, 3]", "[31, 99, 4]", "[99, 99, 2]", "[99, 99, 5]", "[99, 99]",
              "[1, 99, 99, 3]", "[3, 99, 99]", "[5, 4, 3]", "[0, 99, 3]"})
            EXPECT_FALSE(is(shape, dtype)) << shape;
    }
    for (const char* dtype : {R"("|i1")", R"("<u4")", R"("<f4")", R"("|b1")", R"("|S1")"})
        EXPECT_FALSE(is("[24, 24, 3]", dtype)) << dtype;
}

TEST(ColourImages, HaveNoNamesForTheirDimensions) {
    const auto tree =
        TreeBuilder()
            .Group("")
            .Array("photo", "[30, 40, 3]", "{}", R"("|u1")")
            .Array("named", "[30, 40, 3]", R"({"_ARRAY_DIMENSIONS": ["a", "b", "c"]})", R"("|u1")")
            .Tree();
    const auto photo = DescribeArray(*tree, "photo");
    ASSERT_TRUE(test::Succeeds(photo));
    EXPECT_EQ(photo->colour_axis, std::optional<std::size_t>(2));
    EXPECT_EQ(photo->axes.y, std::optional<std::size_t>(0));
    EXPECT_EQ(photo->axes.x, std::optional<std::size_t>(1));
    EXPECT_EQ(photo->dimensions[1].role, AxisRole::kX);
    const auto named = DescribeArray(*tree, "named");
    ASSERT_TRUE(test::Succeeds(named));
    EXPECT_FALSE(named->colour_axis.has_value());
    EXPECT_EQ(named->axes.x, std::optional<std::size_t>(2));
}

}  // namespace
}  // namespace zarr
