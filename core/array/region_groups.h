// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/region_split.h"
#include "core/grid/grid_axis.h"

namespace zarr {

// Divides the parts of a region into groups. The chunks of the parts in one group can be read
// together; see ChunkStore::groups(). Groups, and the parts of a group, are in row-major order.
class RegionGroups {
  public:
    // `split` lists the parts of the region, and is needed only by the constructor. `axes` is the
    // result of ChunkStore::groups().
    RegionGroups(const RegionSplit& split, const std::vector<GridAxis>& axes);

    // Returns the number of groups with at least one part.
    std::uint64_t count() const { return count_; }
    // Returns the number of parts of a group.
    std::uint64_t SizeOf(std::uint64_t group) const;
    // Returns the number that part `i` of a group has in the region. RegionSplit::At() takes this
    // number.
    std::uint64_t PieceAt(std::uint64_t group, std::uint64_t i) const;

  private:
    // For each dimension, the index of each group's first part, and at the end the number of parts.
    // Empty if each part is a group by itself.
    std::vector<std::vector<std::uint64_t>> firsts_;
    std::uint64_t count_ = 1;
};

}  // namespace zarr
