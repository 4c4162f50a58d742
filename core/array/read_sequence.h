// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/grid/region.h"

namespace zarr {

// Recognises regions that are read in order: each as far from the one before as that from the one
// before it, as bands of a cube, blocks of a row or windows of a map that is moved; and rows of
// such, one after the other. Not thread-safe.
class ReadSequence {
  public:
    // Notes a region that is read; true where it goes on a sequence, so that Next() tells what is
    // read after it. A region that is cut off at the end of the array counts as a full one.
    bool Note(const Region& region);

    // The regions that come after the last that was noted, at most so many, cut off at the end of
    // an array of `shape`; fewer at the end of the array, or of a row where it is not known yet
    // where the next begins.
    std::vector<Region> Next(std::size_t count, const std::vector<std::uint64_t>& shape) const;

  private:
    using Offset = DimVector<std::int64_t>;

    static Offset Between(const Region& a, const Region& b);
    bool IsLikeLast(const Region& region) const;
    void Begin(const Region& region);

    std::optional<Region> last_;
    Region full_;   // with the counts of the largest of the sequence
    Region first_;  // of the row
    Offset inner_;  // between two of a row
    Offset outer_;  // between the first of a row and of the next
    bool knows_outer_ = false;
    std::uint64_t row_length_ = 0;  // steps of a row, where `knows_outer_`
    std::uint64_t steps_ = 0;       // in the row
    std::uint64_t seen_ = 0;        // steps that were as expected
};

}  // namespace zarr
