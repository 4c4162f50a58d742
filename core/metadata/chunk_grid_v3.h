// SPDX-License-Identifier: MIT
// The member "chunk_grid" of `zarr.json` (Zarr v3 specification, "Chunk grids"). The grid is
// "regular", or the extension "rectilinear" (zarr-extensions, "Rectilinear chunk grid").
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Maximum number of chunk edges in all irregular dimensions of an array together. Each edge takes
// eight bytes of memory.
inline constexpr std::uint64_t kMaxChunkEdges = std::uint64_t{1} << 22;

// The grid of the chunks of an array, or of the shards of a sharded array. `chunks` has the size of
// the largest chunk per dimension, not counting chunks outside of the array. `edges` has the ends
// of all chunks per dimension. `edges` is empty if all dimensions are regular.
struct ParsedGrid {
    std::vector<std::uint64_t> chunks;
    std::vector<std::vector<std::uint64_t>> edges;
};

// Parses the member "chunk_grid" of an array of shape `shape`. Errors begin with the member's path.
// Returns kCorrupt if the member is invalid; kUnsupported if the grid or its encoding is unknown;
// kLimit if the grid has more than kMaxChunkEdges edges. A regular chunk size of 0 is read as 1 if
// that dimension has size 0.
Result<ParsedGrid> ParseV3ChunkGrid(const json::Value& chunk_grid,
                                    const std::vector<std::uint64_t>& shape);

// Returns the member "chunk_grid" of a new document: "regular" if `edges` is empty, else
// "rectilinear".
json::Value V3ChunkGridToJson(const std::vector<std::uint64_t>& chunks,
                              const std::vector<std::vector<std::uint64_t>>& edges);

// Returns `grid`, adapted to an array of the new shape `shape` and the same rank. If the chunks of
// an irregular dimension end before the new size, chunks of the largest size are added. Returns
// kLimit if there are too many chunks; kInvalidArgument if the last chunk would end beyond 2^63.
Result<ParsedGrid> WithShape(ParsedGrid grid, const std::vector<std::uint64_t>& shape);

}  // namespace zarr
