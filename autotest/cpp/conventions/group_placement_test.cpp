// SPDX-License-Identifier: MIT
#include "core/conventions/crs/group_placement.h"

#include "autotest/cpp/conventions/pyramids.h"
#include "core/conventions/catalog/catalog.h"

namespace zarr {
namespace {

using test::Succeeds;
using test::TreeBuilder;

// Returns a group with the attributes `stated`. The group has a raster of 40 x 60 elements, a
// raster of 20 x 30 elements, and a table.
std::shared_ptr<const Hierarchy> Scene(const std::string& stated) {
    return TreeBuilder()
        .Group("", "{" + stated + "}")
        .Raster("full", 40, 60)
        .Raster("half", 20, 30)
        .Array("table", "[40, 60]", R"({"_ARRAY_DIMENSIONS": ["station", "variable"]})")
        .Tree();
}

struct Shares {
    bool crs = false;
    bool transform = false;
};

Shares SharesOf(const Hierarchy& tree, const std::string& path) {
    const auto facts = DescribeArray(tree, path);
    EXPECT_TRUE(Succeeds(facts));
    if (!facts.ok()) return {};
    Warnings warnings;
    const Shares shares{SharesGroupCrs(tree, *facts), SharesGroupTransform(tree, *facts, warnings)};
    // A warning is allowed only if the group cannot be listed, but the group of Scene() can be
    // listed.
    EXPECT_TRUE(warnings.empty());
    return shares;
}

constexpr const char* kTransform = R"("spatial:transform": [10, 0, 0, 0, -10, 0])";
constexpr const char* kDimensions = R"("spatial:dimensions": ["y", "x"])";

TEST(LocationStatements, OfAGroupApplyToItsMapsOnly) {
    for (const std::string& stated :
         {std::string(kTransform), std::string(kTransform) + ", " + kDimensions}) {
        const auto tree = Scene(stated);
        EXPECT_TRUE(SharesOf(*tree, "full").crs && SharesOf(*tree, "full").transform) << stated;
        EXPECT_TRUE(SharesOf(*tree, "half").crs) << stated;
        EXPECT_FALSE(SharesOf(*tree, "half").transform) << stated;
        EXPECT_FALSE(SharesOf(*tree, "table").crs) << stated;
        EXPECT_FALSE(SharesOf(*tree, "table").transform) << stated;
    }
}

TEST(LocationStatements, AreOfTheStatedSize) {
    const std::string stated = std::string(kTransform) + ", " + kDimensions + ", ";
    for (const char* size :
         {R"("spatial:shape": [20, 30])", R"("spatial:bbox": [0, -200, 300, 0])",
          R"("spatial:bbox": [0, -190, 290, 0], "spatial:registration": "node")"}) {
        const auto tree = Scene(stated + size);
        EXPECT_FALSE(SharesOf(*tree, "full").transform) << size;
        EXPECT_TRUE(SharesOf(*tree, "half").transform) << size;
    }
    // The box does not cover a whole number of pixels, so the raster size cannot be derived from
    // the box.
    const auto tree = Scene(stated + R"("spatial:bbox": [9, 47, 9.5, 47.3])");
    EXPECT_TRUE(SharesOf(*tree, "full").transform);
    EXPECT_FALSE(SharesOf(*tree, "half").transform);
}

TEST(LocationStatements, DifferForAttributesOfTheLocation) {
    const auto statements = [](const std::string& attributes) {
        const auto tree = TreeBuilder().Group("").Array("a", "[2, 2]", attributes).Tree();
        const auto group = ListGroup(*tree, "");
        EXPECT_TRUE(Succeeds(group));
        return group.ok() ? group->arrays[0].location_statements : std::string();
    };
    const std::string none = statements("{}");
    EXPECT_EQ(statements(R"({"units": "m", "long_name": "height", "wavelength": 490})"), none);
    for (const char* attribute :
         {R"("spatial:transform": [1])", R"("proj:code": "EPSG:1")", R"("grid_mapping": "crs")",
          R"("coordinates": "lon lat")", R"("_CRS": "x")", R"("GeoTransform": "1")"})
        EXPECT_NE(statements("{" + std::string(attribute) + "}"), none) << attribute;
}

}  // namespace
}  // namespace zarr
