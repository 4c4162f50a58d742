// SPDX-License-Identifier: MIT
// The member "chunk_grid" of Zarr v3 (its specification, "Chunk grids"), which is "regular", or the
// extension "rectilinear" (zarr-extensions, "Rectilinear chunk grid").
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// The most chunks that may have an edge of their own, of all dimensions of an array together. Each
// takes eight bytes in memory.
inline constexpr std::uint64_t kMostChunkEdges = std::uint64_t{1} << 22;

// The grid of what is stored as one value each, as ArrayMetadata has it: `chunks` are the largest
// sizes of those that hold an element of the array, `edges` the ends of all. Without edges where
// all dimensions are regular, however they are spelled.
struct ParsedGrid {
    std::vector<std::uint64_t> chunks;
    std::vector<std::vector<std::uint64_t>> edges;
};

// Errors name the member from "chunk_grid" on: kCorrupt, kUnsupported for another grid or encoding,
// kLimit for more than kMostChunkEdges. An empty dimension may have regular chunks of size 0, which
// become 1.
Result<ParsedGrid> ParseV3ChunkGrid(const json::Value& chunk_grid,
                                    const std::vector<std::uint64_t>& shape);

// The member for such a grid: "regular" where there are no edges.
json::Value V3ChunkGridToJson(const std::vector<std::uint64_t>& chunks,
                              const std::vector<std::vector<std::uint64_t>>& edges);

// The same grid for an array of another shape of as many dimensions. Where the chunks of an
// irregular dimension end before it does, more are added, of its largest size. kLimit where these
// are too many, kInvalidArgument where they end beyond 2^63.
Result<ParsedGrid> WithShape(ParsedGrid grid, const std::vector<std::uint64_t>& shape);

}  // namespace zarr
