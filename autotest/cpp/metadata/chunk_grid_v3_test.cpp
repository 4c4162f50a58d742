// SPDX-License-Identifier: MIT
#include "core/metadata/chunk_grid_v3.h"

#include <string>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/metadata/v3_metadata.h"

namespace zarr::test {
namespace {

using Sizes = std::vector<std::uint64_t>;
using Edges = std::vector<Sizes>;

Result<ParsedGrid> Regular(const std::string& chunk_shape, const Sizes& shape) {
    return ParseV3ChunkGrid(
        Json(R"({"name": "regular", "configuration": {"chunk_shape": )" + chunk_shape + "}}"),
        shape);
}

json::Value RectilinearText(const std::string& chunk_shapes) {
    return Json(R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": )" +
                chunk_shapes + "}}");
}

Result<ParsedGrid> Rectilinear(const std::string& chunk_shapes, const Sizes& shape) {
    return ParseV3ChunkGrid(RectilinearText(chunk_shapes), shape);
}

TEST(ChunkGridV3, ARegularGrid) {
    const auto grid = Regular("[10, 20]", {100, 5});
    ASSERT_TRUE(Succeeds(grid));
    EXPECT_EQ(grid->chunks, (Sizes{10, 20}));
    EXPECT_TRUE(grid->edges.empty());
    EXPECT_TRUE(Succeeds(Regular("[]", {})));
    EXPECT_EQ(Regular("[0, 3]", {0, 3})->chunks, (Sizes{1, 3})) << "of an empty dimension";
}

TEST(ChunkGridV3, TheExampleOfTheSpecification) {
    const auto grid =
        Rectilinear("[4, [1, 2, 3], [[4, 2]], [[1, 3], 3], [4, 4, 4]]", {6, 6, 6, 6, 6});
    ASSERT_TRUE(Succeeds(grid));
    EXPECT_EQ(grid->chunks, (Sizes{4, 3, 4, 3, 4}));
    // A dimension with equal chunks has an empty list of edges, in whatever form the document
    // states the sizes.
    EXPECT_EQ(grid->edges, (Edges{{}, {1, 3, 6}, {}, {1, 2, 3, 6}, {}}));
}

TEST(ChunkGridV3, AGridOfEqualSizesIsRegular) {
    const auto grid = Rectilinear("[3, [[1, 2], 1], [[5, 4000000000000]]]", {7, 3, 9});
    ASSERT_TRUE(Succeeds(grid));
    EXPECT_EQ(grid->chunks, (Sizes{3, 1, 5}));
    EXPECT_TRUE(grid->edges.empty());
}

TEST(ChunkGridV3, ChunksBeyondTheArrayAreKeptButNotTheLargest) {
    const auto grid = Rectilinear("[[2, 3, 100, 200]]", {5});
    ASSERT_TRUE(Succeeds(grid));
    EXPECT_EQ(grid->chunks, Sizes{3});
    EXPECT_EQ(grid->edges, (Edges{{2, 5, 105, 305}}));
    const auto empty = Rectilinear("[[2, 3]]", {0});
    ASSERT_TRUE(Succeeds(empty));
    EXPECT_EQ(empty->chunks, Sizes{2});
    EXPECT_TRUE(Succeeds(Rectilinear("[[]]", {0})));
}

TEST(ChunkGridV3, RefusesInvalidGrids) {
    struct Case {
        std::string grid;
        StatusCode code;
        std::string message;
    };
    const auto rectilinear = [](const std::string& shapes) {
        return R"({"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": )" +
               shapes + "}}";
    };
    const auto regular = [](const std::string& shape) {
        return R"({"name": "regular", "configuration": {"chunk_shape": )" + shape + "}}";
    };
    const std::string shapes = "chunk_grid.configuration.chunk_shapes";
    const StatusCode corrupt = StatusCode::kCorrupt;
    const StatusCode unsupported = StatusCode::kUnsupported;
    const std::vector<Case> cases = {
        {"7", corrupt, "chunk_grid: expected an object or a name, got 7"},
        {"\"regular\"", corrupt, "chunk_grid: \"regular\" needs a configuration"},
        {"\"rectilinear\"", corrupt, "chunk_grid: \"rectilinear\" needs a configuration"},
        {"\"hexagonal\"", unsupported, "\"hexagonal\""},
        {R"({"name": "hexagonal"})", unsupported, "chunk_grid: expected \"regular\""},
        {R"({"name": 3})", corrupt, "chunk_grid.name: expected a string, got 3"},
        {"{}", corrupt, "chunk_grid: the compulsory member \"name\" is missing"},
        {R"({"name": "regular", "configuration": []})", corrupt, "chunk_grid.configuration"},
        {R"({"name": "regular", "configuration": {}})", corrupt, "chunk_shape"},
        {R"({"name": "regular", "configuration": {"chunk_shape": [1, 2], "more": 1}})", corrupt,
         "chunk_grid.configuration: unknown member \"more\""},
        {R"({"name": "regular", "more": 1, "configuration": {"chunk_shape": [1, 2]}})", corrupt,
         "chunk_grid: unknown member \"more\""},
        {regular("[1]"), corrupt, "chunk_shape: has 1 sizes for the 2 dimensions"},
        {regular("[1, 0]"), corrupt, "chunk_shape[1]: expected an integer >= 1, got 0"},
        {regular("[1, -1]"), corrupt, "chunk_shape[1]"},
        {regular("[1, 1.5]"), corrupt, "chunk_shape[1]"},
        {regular("5"), corrupt, "chunk_shape"},
        {R"({"name": "rectilinear", "configuration": {"chunk_shapes": [4, 4]}})", corrupt, "kind"},
        {R"({"name": "rectilinear", "configuration": {"kind": "file", "chunk_shapes": [4, 4]}})",
         unsupported, "chunk_grid.configuration.kind: expected \"inline\", got \"file\""},
        {R"({"name": "rectilinear", "configuration": {"kind": 1, "chunk_shapes": [4, 4]}})",
         corrupt, "kind: expected a string, got 1"},
        {R"({"name": "rectilinear", "configuration": {"kind": "inline"}})", corrupt,
         "chunk_shapes"},
        {rectilinear("[4]"), corrupt, shapes + ": has 1 sizes for the 2 dimensions"},
        {rectilinear("4"), corrupt, shapes + ": expected an array, got 4"},
        {rectilinear("[4, 0]"), corrupt, shapes + "[1]: expected an integer >= 1, got 0"},
        {rectilinear("[4, \"a\"]"), corrupt, shapes + "[1]: expected a size or an array of sizes"},
        {rectilinear("[4, [3, 0]]"), corrupt, shapes + "[1][1]: expected an integer >= 1, got 0"},
        {rectilinear("[4, [[0, 3]]]"), corrupt, shapes + "[1][0][0]"},
        {rectilinear("[4, [[3, 0]]]"), corrupt, shapes + "[1][0][1]"},
        {rectilinear("[4, [[3]]]"), corrupt, shapes + "[1][0]: expected a size or [size, count]"},
        {rectilinear("[4, [[3, 1, 1]]]"), corrupt, shapes + "[1][0]"},
        {rectilinear("[4, [[[3, 1], 1]]]"), corrupt, shapes + "[1][0][0]"},
        {rectilinear("[4, [2, 3]]"), corrupt,
         shapes + "[1]: the sizes add up to 5, less than the 6 elements"},
        {rectilinear("[4, []]"), corrupt, shapes + "[1]: the sizes add up to 0"},
        {rectilinear("[4, [1, [9223372036854775807, 2]]]"), corrupt,
         shapes + "[1][1]: the sum of the sizes overflows"},
        {rectilinear("[4, [1, [1, 18446744073709551615]]]"), corrupt, "overflows"},
        {rectilinear("[4, [9, [1, 9223372036854775807]]]"), corrupt, "overflows"},
        {rectilinear("[4, [2, [1, 9000000000000000]]]"), StatusCode::kLimit,
         shapes + "[1]: the dimensions have more than 4194304 chunk edges"},
        {rectilinear("[[2, [1, 3000000]], [2, [1, 3000000]]]"), StatusCode::kLimit, shapes + "[1]"},
    };
    for (const Case& each : cases)
        EXPECT_TRUE(Fails(ParseV3ChunkGrid(Json(each.grid), {6, 6}), each.code, each.message))
            << each.grid;
}

TEST(ChunkGridV3, MayHaveMustUnderstand) {
    EXPECT_TRUE(Succeeds(ParseV3ChunkGrid(Json(R"({"name": "regular", "must_understand": true,
                 "configuration": {"chunk_shape": [2]}})"),
                                          {5})));
}

TEST(ChunkGridV3, IsWrittenInItsShortestForm) {
    EXPECT_EQ(json::Dump(V3ChunkGridToJson({10, 20}, {})),
              R"({"name": "regular", "configuration": {"chunk_shape": [10, 20]}})");
    EXPECT_EQ(json::Dump(V3ChunkGridToJson({4, 3, 5}, {{}, {1, 2, 3, 6}, {5, 10, 12}})),
              R"({"name": "rectilinear", "configuration": {"kind": "inline", )"
              R"("chunk_shapes": [4, [[1, 3], 3], [[5, 2], 2]]}})");
}

TEST(ChunkGridV3, WrittenGridsAreReadBack) {
    Random random(3);
    for (int i = 0; i < 300; ++i) {
        ParsedGrid grid;
        Sizes shape;
        for (std::size_t axis = 0; axis < 1 + random.Below(3); ++axis) {
            Sizes edges;
            if (random.Below(3) != 0) {
                std::uint64_t end = 0;
                for (std::uint64_t k = 0; k < 2 + random.Below(9); ++k)
                    edges.push_back(end += 1 + random.Below(3));
                edges.push_back(end + 7);  // the last chunk is larger than all others
            }
            shape.push_back(edges.empty() ? 9 : edges.back());
            grid.chunks.push_back(edges.empty() ? 4 : 7);
            grid.edges.push_back(edges);
        }
        const auto read = ParseV3ChunkGrid(V3ChunkGridToJson(grid.chunks, grid.edges), shape);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_EQ(read->chunks, grid.chunks);
        const bool is_regular = grid.edges == Edges(shape.size());
        EXPECT_EQ(read->edges, is_regular ? Edges() : grid.edges);
    }
}

TEST(ChunkGridV3, GrowsByChunksOfTheLargestSize) {
    const ParsedGrid grid{{4, 3}, {{4, 8, 10}, {}}};
    EXPECT_EQ(WithShape(grid, {10, 99})->edges, grid.edges);
    EXPECT_EQ(WithShape(grid, {5, 1})->edges, grid.edges) << "what lies outside stays";
    EXPECT_EQ(WithShape(grid, {19, 99})->edges, (Edges{{4, 8, 10, 14, 18, 22}, {}}));
    EXPECT_EQ(WithShape(grid, {19, 99})->chunks, (Sizes{4, 3}));
    EXPECT_EQ(WithShape({{2}, {{2, 4, 104}}}, {5})->chunks, Sizes{100}) << "one that was outside";
    EXPECT_TRUE(
        Fails(WithShape(grid, {std::uint64_t{1} << 62, 1}), StatusCode::kLimit, "chunk_grid[0]"));
    EXPECT_TRUE(
        Fails(WithShape({{1}, {{1, (std::uint64_t{1} << 63) - 2}}}, {(std::uint64_t{1} << 63) - 1}),
              StatusCode::kInvalidArgument, "overflows"));
}

// Returns the metadata of a Zarr v3 array with the shape `shape` and the given `chunk_grid`.
ArrayMetadata WithDocument(const json::Value& chunk_grid, const Sizes& shape) {
    json::Array sizes;
    for (const std::uint64_t size : shape) sizes.emplace_back(size);
    json::Value document = test::Json(
        R"({"zarr_format": 3, "node_type": "array", "data_type": "uint8", "fill_value": 0,
            "chunk_key_encoding": "default", "codecs": ["bytes"]})");
    json::PutMember(*document.MutableObject(), "shape", json::Value(std::move(sizes)));
    json::PutMember(*document.MutableObject(), "chunk_grid", chunk_grid);
    auto metadata = ParseV3Array(json::Dump(document));
    EXPECT_TRUE(test::Succeeds(metadata));
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

TEST(ChunkGridV3, TheDocumentOfAnArrayThatGrowsCoversIt) {
    const auto grown = [](const std::string& shapes, std::uint64_t to) {
        const auto changed = WithShape(WithDocument(RectilinearText(shapes), {6}), {to});
        EXPECT_TRUE(Succeeds(changed));
        const json::Value written(changed->document);
        const auto read = ParseV3ChunkGrid(*written.Find("chunk_grid"), {to});
        EXPECT_TRUE(Succeeds(read));
        EXPECT_EQ(read->edges, changed->edges);
        EXPECT_EQ(read->chunks, changed->chunks);
        return json::Dump(*written.Find("chunk_grid"));
    };
    EXPECT_EQ(grown("[[1, 2, 3]]", 4), json::Dump(RectilinearText("[[1, 2, 3]]")));
    EXPECT_EQ(grown("[[1, 2, 3]]", 13), json::Dump(RectilinearText("[[1, 2, [3, 4]]]")));
    EXPECT_EQ(grown("[[[4, 2]]]", 8), json::Dump(RectilinearText("[[[4, 2]]]")));
    EXPECT_EQ(grown("[[[4, 2]]]", 9),
              R"({"name": "regular", "configuration": {"chunk_shape": [4]}})");
    EXPECT_EQ(grown("[4]", 99), json::Dump(RectilinearText("[4]")));
}

}  // namespace
}  // namespace zarr::test
