// SPDX-License-Identifier: MIT

#include "autotest/cpp/hierarchy/trees.h"
#include "core/conventions/crs/grid_mapping.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Succeeds;
using test::Tree;

struct NamedMapping {
    const char* attribute;           // value of the attribute `grid_mapping`
    std::vector<std::string> names;  // grid mappings to try, in this order
    const char* own;                 // grid mapping that applies to the array
};

const NamedMapping kMappings[] = {
    {"utm", {"utm"}, "utm"},
    {"utm more", {"utm"}, "utm"},
    {"utm: x y", {"utm"}, "utm"},
    {"utm: x y wgs: lat lon", {"utm", "wgs"}, "wgs"},
    {"wgs: lat lon utm: x y", {"wgs", "utm"}, "wgs"},
    {"utm: x y wgs: a b", {"utm", "wgs"}, "utm"},
    {"utm:", {"utm"}, "utm"},
    {"", {"spatial_ref", "crs"}, "crs"},
    {":", {"spatial_ref", "crs"}, "crs"},
};

TEST(GridMapping, IsTheOneOfTheDimensions) {
    for (const NamedMapping& mapping : kMappings) {
        const std::string attributes =
            R"({"_ARRAY_DIMENSIONS": ["lat", "lon"], "grid_mapping": ")" +
            std::string(mapping.attribute) + "\"}";
        const auto tree = Tree({{"dem/.zarray", ArrayText("[4, 5]")},
                                {"dem/.zattrs", attributes},
                                {"utm/.zarray", ArrayText("[]")},
                                {"wgs/.zarray", ArrayText("[]")},
                                {"crs/.zarray", ArrayText("[]")},
                                {"crs/.zattrs", R"({"crs_wkt": "x"})"}});
        const auto facts = DescribeArray(*tree, "dem");
        ASSERT_TRUE(Succeeds(facts));
        EXPECT_EQ(GridMappingNames(facts->attributes), mapping.names) << mapping.attribute;
        Warnings warnings;
        EXPECT_EQ(FindGridMapping(*tree, *facts).Report(warnings), mapping.own)
            << mapping.attribute;
    }
}

}  // namespace
}  // namespace zarr
