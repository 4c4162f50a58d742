// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/grid/region.h"

namespace zarr {

// Recognises regions that are read in order at a constant distance, such as the bands of a cube or
// the blocks of a row. Also recognises rows of such regions, if successive rows have a constant
// distance. Not thread-safe.
class ReadSequence {
  public:
    // Records a region that was read. Returns true if the region continues a sequence, so that
    // Next() can predict regions. A region that the array's edge cuts off counts as a full region.
    bool Note(const Region& region);

    // Predicts up to `count` regions after the last recorded region, in an array of `shape`.
    // Returns fewer regions at the end of the array, or if the start of the next row of regions is
    // unknown.
    std::vector<Region> Next(std::size_t count, const std::vector<std::uint64_t>& shape) const;

  private:
    using Offset = DimVector<std::int64_t>;

    static Offset Between(const Region& a, const Region& b);
    bool IsLikeLast(const Region& region) const;
    void Begin(const Region& region);

    std::optional<Region> last_;
    Region full_;   // largest region of the sequence; smaller ones are cut off at the edge
    Region first_;  // first region of the current row of regions
    Offset inner_;  // distance between successive regions of a row of regions
    Offset outer_;  // distance between the first regions of successive rows of regions
    bool knows_outer_ = false;
    // Number of regions in each row, minus 1. Valid if `knows_outer_` is true.
    std::uint64_t row_length_ = 0;
    std::uint64_t steps_ = 0;  // index of the last region in its row of regions
    std::uint64_t seen_ = 0;   // number of consecutive steps that match the sequence
};

}  // namespace zarr
