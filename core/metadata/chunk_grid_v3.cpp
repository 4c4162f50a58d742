// SPDX-License-Identifier: MIT
#include "core/metadata/chunk_grid_v3.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>

#include "core/base/checked.h"
#include "core/grid/grid_axis.h"

namespace zarr {

namespace {

constexpr std::string_view kChunkGrid = "chunk_grid";
// Maximum element index at which a chunk may end. The sum of two such numbers does not overflow.
constexpr auto kMaxGridElements =
    static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

std::string GridItem(std::string_view where, std::size_t index) {
    return std::string(where) + "[" + std::to_string(index) + "]";
}

// Returns an error if `object` has a member that `known` does not name.
Status CheckGridMembers(const json::Value& object, std::string_view where,
                        const std::vector<std::string_view>& known) {
    for (const json::Member& member : *object.as_object())
        if (std::find(known.begin(), known.end(), member.first) == known.end())
            return Status::Corrupt(std::string(where) + ": unknown member \"" + member.first +
                                   "\"");
    return {};
}

// A run of `count` consecutive chunks of `size` elements each.
struct ChunkRun {
    std::uint64_t size = 0;
    std::uint64_t count = 0;
};

// Parses one item of "chunk_shapes": a size, or a run-length encoded pair [size, count].
Result<ChunkRun> ParseChunkRun(const json::Value& item, const std::string& where) {
    ChunkRun run{0, 1};
    const json::Array* pair = item.as_array();
    if (pair == nullptr) {
        ZARR_ASSIGN_OR_RETURN(run.size, json::UintAtLeast(item, 1, where));
        return run;
    }
    if (pair->size() != 2) return json::Expected(where, "a size or [size, count]", item);
    ZARR_ASSIGN_OR_RETURN(run.size, json::UintAtLeast((*pair)[0], 1, GridItem(where, 0)));
    ZARR_ASSIGN_OR_RETURN(run.count, json::UintAtLeast((*pair)[1], 1, GridItem(where, 1)));
    return run;
}

Status CheckCovers(std::uint64_t sum, std::uint64_t length, const std::string& where) {
    if (sum >= length) return {};
    return Status::Corrupt(where + ": the sizes add up to " + std::to_string(sum) +
                           ", less than the " + std::to_string(length) +
                           " elements of the dimension");
}

Status TooManyEdges(const std::string& where) {
    return Status::Limit(where + ": the dimensions have more than " +
                         std::to_string(kMaxChunkEdges) + " chunk edges");
}

// Parses one dimension of a rectilinear grid, of size `length`. Sets `chunk` to the size of the
// largest chunk. If the chunk sizes differ, sets `edges` to the ends of the chunks, and adds their
// number to `edge_count`.
Status ParseGridDimension(const json::Value& value, std::uint64_t length, const std::string& where,
                          std::uint64_t& edge_count, std::uint64_t& chunk,
                          std::vector<std::uint64_t>& edges) {
    if (value.is_number()) {
        ZARR_ASSIGN_OR_RETURN(chunk, json::UintAtLeast(value, 1, where));
        return {};
    }
    const json::Array* items = value.as_array();
    if (items == nullptr) return json::Expected(where, "a size or an array of sizes", value);
    std::uint64_t sum = 0;
    std::uint64_t count = 0;
    std::uint64_t first_size = 0;
    bool are_same = true;
    // The first loop checks all items, so that no memory is allocated for an invalid list.
    for (std::size_t i = 0; i < items->size(); ++i) {
        ZARR_ASSIGN_OR_RETURN(const ChunkRun run, ParseChunkRun((*items)[i], GridItem(where, i)));
        sum = SaturatingAdd(sum, SaturatingMul(run.size, run.count));
        if (sum > kMaxGridElements)
            return Status::Corrupt(GridItem(where, i) + ": the sum of the sizes overflows");
        count += run.count;
        if (i == 0) first_size = run.size;
        are_same = are_same && run.size == first_size;
    }
    ZARR_RETURN_IF_ERROR(CheckCovers(sum, length, where));
    if (are_same) {
        // A list without chunks gets the chunk size 1.
        chunk = std::max<std::uint64_t>(first_size, 1);
        return {};
    }
    edge_count = SaturatingAdd(edge_count, count);
    if (edge_count > kMaxChunkEdges) return TooManyEdges(where);
    edges.reserve(static_cast<std::size_t>(count));
    std::uint64_t end = 0;
    for (const json::Value& item : *items) {
        ZARR_ASSIGN_OR_RETURN(const ChunkRun run, ParseChunkRun(item, where));
        for (std::uint64_t i = 0; i < run.count; ++i) edges.push_back(end += run.size);
    }
    chunk = GridAxis(length, edges).LargestSize();
    return {};
}

Status CheckGridRank(std::size_t sizes, std::size_t rank, const std::string& where) {
    if (sizes == rank) return {};
    return Status::Corrupt(where + ": has " + std::to_string(sizes) + " sizes for the " +
                           std::to_string(rank) + " dimensions of shape");
}

Result<ParsedGrid> ParseRegularGrid(const json::Value& configuration, const std::string& place,
                                    const std::vector<std::uint64_t>& shape) {
    ZARR_RETURN_IF_ERROR(CheckGridMembers(configuration, place, {"chunk_shape"}));
    auto sizes = json::Require(configuration, "chunk_shape").WithContext(place);
    if (!sizes.ok()) return sizes.status();
    const std::string where = place + ".chunk_shape";
    ParsedGrid grid;
    ZARR_ASSIGN_OR_RETURN(grid.chunks, json::UintsAtLeast(**sizes, 0, where));
    ZARR_RETURN_IF_ERROR(CheckGridRank(grid.chunks.size(), shape.size(), where));
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (grid.chunks[i] != 0) continue;
        // A chunk size of 0 is accepted in an empty dimension, because zarr-python writes the
        // array's shape as the chunk shape of an unchunked array.
        if (shape[i] != 0)
            return json::Expected(GridItem(where, i), "an integer >= 1",
                                  json::Value(std::uint64_t{0}));
        grid.chunks[i] = 1;
    }
    return grid;
}

Result<ParsedGrid> ParseRectilinearGrid(const json::Value& configuration, const std::string& place,
                                        const std::vector<std::uint64_t>& shape) {
    ZARR_RETURN_IF_ERROR(CheckGridMembers(configuration, place, {"kind", "chunk_shapes"}));
    const auto kind = json::Require(configuration, "kind").WithContext(place);
    if (!kind.ok()) return kind.status();
    if ((*kind)->as_string() == nullptr) return json::Expected(place + ".kind", "a string", **kind);
    if (*(*kind)->as_string() != "inline")
        return Status::Unsupported(place + ".kind: expected \"inline\", got " +
                                   json::Brief(**kind));
    const auto shapes = json::Require(configuration, "chunk_shapes").WithContext(place);
    if (!shapes.ok()) return shapes.status();
    const std::string where = place + ".chunk_shapes";
    const json::Array* items = (*shapes)->as_array();
    if (items == nullptr) return json::Expected(where, "an array", **shapes);
    ZARR_RETURN_IF_ERROR(CheckGridRank(items->size(), shape.size(), where));
    ParsedGrid grid;
    grid.chunks.resize(shape.size());
    grid.edges.resize(shape.size());
    std::uint64_t edge_count = 0;
    for (std::size_t i = 0; i < shape.size(); ++i)
        ZARR_RETURN_IF_ERROR(ParseGridDimension((*items)[i], shape[i], GridItem(where, i),
                                                edge_count, grid.chunks[i], grid.edges[i]));
    if (edge_count == 0) grid.edges.clear();
    return grid;
}

// Returns the shortest "chunk_shapes" list, run-length encoded, for chunks that end at `edges`.
json::Array ChunkRuns(const std::vector<std::uint64_t>& edges) {
    json::Array items;
    std::uint64_t start = 0;
    for (std::size_t i = 0; i < edges.size();) {
        const std::uint64_t size = edges[i] - start;
        std::uint64_t count = 0;
        for (; i < edges.size() && edges[i] - start == size; ++i, ++count) start = edges[i];
        if (count == 1)
            items.emplace_back(size);
        else
            items.emplace_back(json::Array{json::Value(size), json::Value(count)});
    }
    return items;
}

}  // namespace

Result<ParsedGrid> ParseV3ChunkGrid(const json::Value& chunk_grid,
                                    const std::vector<std::uint64_t>& shape) {
    const std::string place(kChunkGrid);
    // A string is the name of a grid without a configuration.
    const std::string* name = chunk_grid.as_string();
    const json::Value* configuration = nullptr;
    if (name == nullptr) {
        if (chunk_grid.as_object() == nullptr)
            return json::Expected(place, "an object or a name", chunk_grid);
        const auto member = json::Require(chunk_grid, "name").WithContext(place);
        if (!member.ok()) return member.status();
        name = (*member)->as_string();
        if (name == nullptr) return json::Expected(place + ".name", "a string", **member);
        configuration = chunk_grid.Find("configuration");
    }
    const bool is_regular = *name == "regular";
    if (!is_regular && *name != "rectilinear")
        return Status::Unsupported(place + ": expected \"regular\" or \"rectilinear\", got " +
                                   json::Brief(json::Value(*name)));
    if (configuration == nullptr)
        return Status::Corrupt(place + ": \"" + *name + "\" needs a configuration");
    // "must_understand": false is accepted but has no effect, because an array cannot be read
    // without its grid.
    ZARR_RETURN_IF_ERROR(
        CheckGridMembers(chunk_grid, place, {"name", "configuration", "must_understand"}));
    const std::string inner = place + ".configuration";
    if (configuration->as_object() == nullptr)
        return json::Expected(inner, "an object", *configuration);
    return is_regular ? ParseRegularGrid(*configuration, inner, shape)
                      : ParseRectilinearGrid(*configuration, inner, shape);
}

json::Value V3ChunkGridToJson(const std::vector<std::uint64_t>& chunks,
                              const std::vector<std::vector<std::uint64_t>>& edges) {
    json::Array sizes;
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        if (edges.empty() || edges[i].empty())
            sizes.emplace_back(chunks[i]);
        else
            sizes.emplace_back(ChunkRuns(edges[i]));
    }
    json::Object configuration;
    if (!edges.empty()) configuration.emplace_back("kind", json::Value("inline"));
    configuration.emplace_back(edges.empty() ? "chunk_shape" : "chunk_shapes",
                               json::Value(std::move(sizes)));
    return json::Value(json::Object{
        {"name", json::Value(edges.empty() ? "regular" : "rectilinear")},
        {"configuration", json::Value(std::move(configuration))},
    });
}

Result<ParsedGrid> WithShape(ParsedGrid grid, const std::vector<std::uint64_t>& shape) {
    std::uint64_t edge_count = 0;
    for (const auto& edges : grid.edges) edge_count += edges.size();
    for (std::size_t i = 0; i < grid.edges.size(); ++i) {
        std::vector<std::uint64_t>& edges = grid.edges[i];
        if (edges.empty()) continue;
        const std::string where = GridItem(kChunkGrid, i);
        if (edges.back() < shape[i]) {
            const std::uint64_t size = GridAxis(edges.back(), edges).LargestSize();
            const std::uint64_t more = CeilDiv(shape[i] - edges.back(), size);
            if (more > kMaxChunkEdges - std::min(edge_count, kMaxChunkEdges))
                return TooManyEdges(where);
            if (SaturatingAdd(edges.back(), SaturatingMul(more, size)) > kMaxGridElements)
                return Status::Invalid(where + ": the sum of the sizes overflows");
            edge_count += more;
            edges.reserve(edges.size() + static_cast<std::size_t>(more));
            for (std::uint64_t k = 0; k < more; ++k) edges.push_back(edges.back() + size);
        }
        grid.chunks[i] = GridAxis(shape[i], edges).LargestSize();
    }
    return grid;
}

}  // namespace zarr
