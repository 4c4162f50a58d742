// SPDX-License-Identifier: MIT

#include "autotest/cpp/conventions/pyramids.h"

namespace zarr {
namespace {

using test::ExpectOne;
using test::Found;
using test::PyramidsOf;
using test::StringList;
using test::TreeBuilder;
using test::WarnsOnce;

// Returns three groups in `parent`, each with an array "dem"; the first array is the smallest. The
// array in group `holder` has `attributes`.
TreeBuilder ThreeGroups(const std::string& attributes, const std::string& holder,
                        const std::string& parent = "") {
    TreeBuilder builder;
    int size = 2;
    for (const char* name : {"0", "1", "2"}) {
        const std::string shape = "[" + std::to_string(size) + ", " + std::to_string(size) + "]";
        builder.Group(parent + name);
        builder.Array(parent + name + "/dem", shape, name == holder ? attributes : "{}");
        size *= 2;
    }
    return builder;
}

const char* const kText = "2/dem 8x8, 1/dem 4x4, 0/dem 2x2";

TEST(TileMatrices, NameTheGroupsBesideTheArrays) {
    for (const char* attributes :
         {R"({"multiscales": {"tile_matrix_set": "WebMercatorQuad", "resampling_method": "nearest",
              "tile_matrix_limits": {"0": {"tileMatrix": "0"}, "1": {}, "2": {}}}})",
          R"({"multiscales": {"tile_matrix_set": "WebMercatorQuad",
              "tile_matrix_set_limits": {"0": {}, "1": {}, "2": {}}}})",
          R"({"multiscales": {"tile_matrix_set": "https://example.org/tms", "tile_matrix_limits":
              [{"tileMatrix": "0"}, {"tileMatrix": "1"}, {"tileMatrix": "2"}]}})",
          R"({"multiscales": {"tile_matrix_set": {"id": "custom",
              "tileMatrices": [{"id": "0"}, {"id": "1"}, {"id": "2"}]}}})",
          R"({"multiscales": {"tile_matrix_set": {"identifier": "custom",
              "tileMatrix": [{"identifier": "0"}, {"identifier": "1"}, {"identifier": 2}]}}})",
          R"({"multiscales": {"tile_matrix_set": "WebMercatorQuad"}})"}) {
        for (const char* holder : {"0", "1", "2"}) {
            const auto tree = ThreeGroups(attributes, holder).Tree();
            ExpectOne(*tree, "", kText, {"0/dem", "1/dem", "2/dem"});
            EXPECT_TRUE(PyramidsOf(*tree, "2").pyramids.empty()) << "a level's group has no levels";
        }
    }
}

TEST(TileMatrices, LimitsTellWhichHaveData) {
    const auto tree = ThreeGroups(R"({"multiscales": {"tile_matrix_limits": {"1": {}, "2": {}},
        "tile_matrix_set": {"tileMatrices": [{"id": "0"}, {"id": "1"}, {"id": "2"}, {"id": "3"}]}
        }})",
                                  "2")
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, StringList{"2/dem 8x8, 1/dem 4x4"});
    EXPECT_TRUE(found.warnings.empty());
}

TEST(TileMatrices, NameGroupsInTheArraysGroupToo) {
    for (const char* set :
         {"\"WebMercatorQuad\"", R"({"tileMatrices": [{"id": "0"}, {"id": "1"}, {"id": "2"}]})"}) {
        TreeBuilder builder = ThreeGroups("{}", "none", "data/");
        builder.Array("data/dem", "[16, 16]",
                      std::string(R"({"multiscales": {"tile_matrix_set": )") + set + "}}");
        const auto tree = builder.Tree();
        ExpectOne(*tree, "data", "data/dem 16x16, data/2/dem 8x8, data/1/dem 4x4, data/0/dem 2x2",
                  {"data/dem", "data/0/dem", "data/1/dem"});
    }
}

TEST(TileMatrices, EachVariableHasItsOwn) {
    const char* attributes = R"({"multiscales": {"tile_matrix_set": "WebMercatorQuad"}})";
    TreeBuilder builder = ThreeGroups(attributes, "0");
    builder.Array("1/slope", "[4, 4]", attributes).Array("2/slope", "[8, 8]", attributes);
    builder.Array("2/aspect", "[8, 8]");
    const Found found = PyramidsOf(*builder.Tree());
    EXPECT_EQ(found.pyramids, (StringList{kText, "2/slope 8x8, 1/slope 4x4"}));
    EXPECT_TRUE(found.warnings.empty());
}

TEST(TileMatrices, WithoutAGroupAreLeftOut) {
    const auto tree = ThreeGroups(R"({"multiscales": {"tile_matrix_set": {"tileMatrices":
        [{"id": "1"}, {"id": "2"}, {"id": "3"}, {"id": "../2"}]}}})",
                                  "2")
                          .Tree();
    const Found found = PyramidsOf(*tree);
    EXPECT_EQ(found.pyramids, StringList{"2/dem 8x8, 1/dem 4x4"});
    ASSERT_EQ(found.warnings.size(), 2U);
    EXPECT_NE(found.warnings[0].find("tile matrix \"3\": level /3/dem does not exist"),
              std::string::npos);
    EXPECT_NE(found.warnings[1].find("/2/dem: multiscales, tile matrix \"../2\""),
              std::string::npos);
}

TEST(TileMatrices, OfTheWrongTypeGiveAWarning) {
    const std::pair<const char*, const char*> faults[] = {
        {"5", "/1/dem: multiscales: expected an object with tile_matrix_set"},
        {"[]", "/1/dem: multiscales: expected an object with tile_matrix_set"},
        {R"({"datasets": []})", "expected an object with tile_matrix_set"},
        {R"({"tile_matrix_set": 5})", "multiscales.tile_matrix_set: expected a name"},
        {R"({"tile_matrix_set": "T", "tile_matrix_limits": 5})",
         "expected an object or a list of tile matrices"}};
    for (const auto& [multiscales, warning] : faults) {
        const auto tree =
            ThreeGroups(std::string("{\"multiscales\": ") + multiscales + "}", "1").Tree();
        Warnings warnings;
        FindPyramidOf(*tree, "1/dem").Report(warnings);
        // Most faults of a tile_matrix_set are reported only for the base of the pyramid. The array
        // 1/dem is not the base.
        const bool is_none = std::string(warning).find("with tile_matrix_set") != std::string::npos;
        EXPECT_EQ(warnings.size(), is_none ? 1U : 0U) << multiscales;
        EXPECT_TRUE(WarnsOnce(PyramidsOf(*tree).warnings, {warning})) << multiscales;
    }
}

}  // namespace
}  // namespace zarr
