// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/region_split.h"
#include "core/grid/grid_axis.h"

namespace zarr {

// The pieces of a region by the groups of chunks that they lie in. Groups and the pieces of a group
// are in row-major order.
class RegionGroups {
  public:
    // `axes` is ChunkStore::groups(). `split` is borrowed.
    RegionGroups(const RegionSplit& split, const std::vector<GridAxis>& axes);

    // Number of groups that have a piece.
    std::uint64_t count() const { return count_; }
    // Number of pieces of a group.
    std::uint64_t SizeOf(std::uint64_t group) const;
    // The index in the region of the i-th piece of a group.
    std::uint64_t PieceAt(std::uint64_t group, std::uint64_t i) const;

  private:
    // Along each dimension: the first piece of each group, and last the number of pieces. Empty if
    // each piece is a group.
    std::vector<std::vector<std::uint64_t>> firsts_;
    std::uint64_t count_ = 1;
};

}  // namespace zarr
