// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/grid/region.h"

namespace zarr {

// Recognises regions that are read in order, at a constant distance: bands of a cube, blocks of a
// row, or windows of a map that is panned. Also recognises several rows of such regions, each row
// at a constant distance from the previous row. Not thread-safe.
class ReadSequence {
  public:
    // Records a region that is read. Returns true if the region continues a sequence, so that
    // Next() predicts further regions. A region cut off at the array's edge counts as a full
    // region.
    bool Note(const Region& region);

    // Predicts up to `count` regions after the last recorded region, cut off at the edge of an
    // array of `shape`. Returns fewer regions at the end of the array, and at the end of a row if
    // the start of the next row is unknown.
    std::vector<Region> Next(std::size_t count, const std::vector<std::uint64_t>& shape) const;

  private:
    using Offset = DimVector<std::int64_t>;

    static Offset Between(const Region& a, const Region& b);
    bool IsLikeLast(const Region& region) const;
    void Begin(const Region& region);

    std::optional<Region> last_;
    Region full_;   // region with the largest counts in the sequence
    Region first_;  // first region of the current row
    Offset inner_;  // distance between successive regions of a row
    Offset outer_;  // distance between the first regions of successive rows
    bool knows_outer_ = false;
    std::uint64_t row_length_ = 0;  // number of steps in each row; valid if `knows_outer_`
    std::uint64_t steps_ = 0;       // number of steps taken in the current row
    std::uint64_t seen_ = 0;        // number of consecutive steps that match the sequence
};

}  // namespace zarr
