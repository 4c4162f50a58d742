// SPDX-License-Identifier: MIT
#include "core/conventions/catalog/catalog.h"

#include "autotest/cpp/hierarchy/trees.h"

namespace zarr {
namespace {

using test::ArrayText;
using test::Entries;
using test::Fails;
using test::kGroupText;
using test::Succeeds;
using test::Tree;
using StringList = std::vector<std::string>;

std::vector<CatalogGroup> List(const Hierarchy& tree, const std::string& path = "",
                               std::size_t warned = 0) {
    Warnings warnings;
    auto groups = ListRasters(tree, path).Report(warnings);
    EXPECT_TRUE(Succeeds(groups));
    EXPECT_EQ(warnings.size(), warned);
    return groups.ok() ? groups.Take() : std::vector<CatalogGroup>();
}

StringList RasterPaths(const CatalogGroup& group) {
    StringList paths;
    for (const CatalogArray* array : group.Rasters()) paths.push_back(array->path);
    return paths;
}

const CatalogArray& ArrayAt(const CatalogGroup& group, const std::string& path) {
    for (const CatalogArray& array : group.arrays)
        if (array.path == path) return array;
    ADD_FAILURE() << path << " is not listed";
    return group.arrays[0];
}

TEST(Catalog, ListsGroupsDepthFirst) {
    const auto tree = Tree({{"b/.zgroup", kGroupText},
                            {"b/z/.zarray", ArrayText("[2, 2]")},
                            {"b/c/d/.zarray", ArrayText("[2, 2]")},
                            {"a/.zgroup", kGroupText},
                            {"top/.zarray", ArrayText("[2, 2]")}});
    const auto groups = List(*tree);
    StringList paths;
    for (const CatalogGroup& group : groups) paths.push_back(group.path);
    EXPECT_EQ(paths, (StringList{"", "a", "b", "b/c"}));
    EXPECT_EQ(RasterPaths(groups[0]), StringList{"top"});
    EXPECT_EQ(RasterPaths(groups[3]), StringList{"b/c/d"});
    EXPECT_EQ(List(*tree, "b").size(), 2U);
}

TEST(Catalog, FindsRasters) {
    const auto tree =
        Tree({{"bool/.zarray", ArrayText("[2, 2]", "\"|b1\"")},
              {"complex/.zarray", ArrayText("[2, 2]", "\"<c8\"")},
              {"cube/.zarray", ArrayText("[2, 2, 2]")},
              {"empty/.zarray", ArrayText("[0, 5]")},
              {"line/.zarray", ArrayText("[5]")},
              {"scalar/.zarray", ArrayText("[]")},
              {"struct/.zarray", ArrayText("[2, 2]", R"([["a", "|S1"], ["b", "<i2"]])")},
              {"text/.zarray", ArrayText("[2, 2]", "\"<U4\"")},
              {"texts/.zarray", ArrayText("[2, 2]", R"([["a", "|S1"], ["b", "|V2"]])")},
              {"time/.zarray", ArrayText("[2, 2]", "\"<M8[s]\"")}});
    const auto groups = List(*tree);
    EXPECT_EQ(RasterPaths(groups[0]), (StringList{"bool", "complex", "cube", "struct", "time"}));
    EXPECT_EQ(groups[0].arrays.size(), 10U);
}

TEST(Catalog, SetsAuxiliaryArraysApart) {
    const auto tree = Tree({{"dem/.zarray", ArrayText("[2, 2]")},
                            {"dem/.zattrs", R"({"_ARRAY_DIMENSIONS": ["y", "x"],
                                "coordinates": "lat lon", "grid_mapping": "crs: x y"})"},
                            {"lat/.zarray", ArrayText("[2, 2]")},
                            {"lat/.zattrs", R"({"bounds": "lat_bounds"})"},
                            {"lon/.zarray", ArrayText("[2, 2]")},
                            {"lat_bounds/.zarray", ArrayText("[2, 2]")},
                            {"crs/.zarray", ArrayText("[1, 1]")},
                            {"slope/.zarray", ArrayText("[2, 2]")}});
    const auto groups = List(*tree);
    EXPECT_EQ(RasterPaths(groups[0]), (StringList{"dem", "slope"}));
    for (const char* path : {"lat", "lon", "lat_bounds", "crs"})
        EXPECT_TRUE(ArrayAt(groups[0], path).is_auxiliary) << path;
    EXPECT_EQ(ArrayAt(groups[0], "dem").dimensions, (StringList{"y", "x"}));
    EXPECT_EQ(ArrayAt(groups[0], "slope").dimensions, (StringList{"dim0", "dim1"}));
}

TEST(Catalog, ListsABadArrayWithItsStatus) {
    std::string unknown = ArrayText("[2, 2]");
    unknown.replace(unknown.find("\"compressor\": null"), 18, R"("compressor": {"id": "strange"})");
    const auto tree = Tree({{"bad/.zarray", "{"},
                            {"good/.zarray", ArrayText("[2, 2]")},
                            {"good/.zattrs", "[broken"},
                            {"unknown/.zarray", unknown}});
    const auto groups = List(*tree);
    EXPECT_EQ(RasterPaths(groups[0]), StringList{"good"});
    EXPECT_TRUE(Fails(ArrayAt(groups[0], "bad").status, StatusCode::kCorrupt, "bad/.zarray: "));
    EXPECT_TRUE(Fails(ArrayAt(groups[0], "unknown").status, StatusCode::kUnsupported,
                      "unknown/.zarray: compressor: "));
    EXPECT_TRUE(ArrayAt(groups[0], "good").status.ok());
}

bool IsOneGrid(Entries entries) { return List(*Tree(entries))[0].IsOneGrid(); }

TEST(Catalog, TellsIfRastersShareAGrid) {
    const std::string yx = R"({"_ARRAY_DIMENSIONS": ["y", "x"]})";
    const std::string ab = R"({"_ARRAY_DIMENSIONS": ["a", "b"]})";
    EXPECT_TRUE(IsOneGrid(
        {{"a/.zarray", ArrayText("[2, 3]")}, {"b/.zarray", ArrayText("[2, 3]", "\"|u1\"")}}));
    EXPECT_TRUE(IsOneGrid({{"a/.zarray", ArrayText("[2, 3]")},
                           {"a/.zattrs", yx},
                           {"b/.zarray", ArrayText("[2, 3]")},
                           {"b/.zattrs", yx},
                           {"x/.zarray", ArrayText("[3]")},
                           {"bad/.zarray", "{"}}));
    EXPECT_FALSE(IsOneGrid({{"a/.zarray", ArrayText("[2, 3]")}})) << "one is not a group of bands";
    EXPECT_FALSE(IsOneGrid({{"x/.zarray", ArrayText("[3]")}}));
    EXPECT_FALSE(
        IsOneGrid({{"a/.zarray", ArrayText("[2, 3]")}, {"b/.zarray", ArrayText("[3, 2]")}}));
    EXPECT_FALSE(
        IsOneGrid({{"a/.zarray", ArrayText("[2, 3]")}, {"b/.zarray", ArrayText("[2, 3, 1]")}}));
    EXPECT_FALSE(
        IsOneGrid({{"a/.zarray", ArrayText("[2, 3, 1]")}, {"b/.zarray", ArrayText("[2, 3, 1]")}}));
    EXPECT_FALSE(IsOneGrid({{"a/.zarray", ArrayText("[2, 3]")},
                            {"a/.zattrs", yx},
                            {"b/.zarray", ArrayText("[2, 3]")},
                            {"b/.zattrs", ab}}));
}

TEST(Catalog, EndsAtTheDepthLimit) {
    auto store = std::make_shared<MemoryStore>();
    std::string path;
    for (int i = 0; i < 200; ++i) path += "g/";
    ASSERT_TRUE(Succeeds(store->Set(path + ".zgroup", ByteSpan(std::string_view(kGroupText)))));
    const auto groups = List(*Tree(store));
    // The list has the root and the groups with 0 to kMaxGroupDepth slashes in their paths, but no
    // deeper groups.
    EXPECT_EQ(groups.size(), kMaxGroupDepth + 2);
    ASSERT_EQ(groups.back().arrays.size(), 1U);
    EXPECT_FALSE(groups.back().arrays[0].status.ok());
}

}  // namespace
}  // namespace zarr
