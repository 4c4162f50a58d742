// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/array/region_split.h"
#include "core/base/dim_vector.h"
#include "core/base/status.h"

namespace zarr {

// The pieces of a region by the groups of chunks that they lie in, as ChunkGroups has them.
class RegionGroups {
  public:
    // `axes` is the grid of the groups, measured in chunks.
    RegionGroups(const RegionSplit& split, const std::vector<GridAxis>& axes);

    // That have a piece.
    std::uint64_t count() const { return count_; }

    // Calls `visit` with the index of each piece of a group, ascending, until it fails.
    template <class Visit>
    Status ForEachPiece(std::uint64_t group, const Visit& visit) const {
        const std::size_t rank = firsts_.size();
        DimVector<std::uint64_t> begin(rank);
        DimVector<std::uint64_t> end(rank);
        for (std::size_t i = rank; i-- > 0;) {
            const std::uint64_t along = firsts_[i].size() - 1;
            begin[i] = firsts_[i][static_cast<std::size_t>(group % along)];
            end[i] = firsts_[i][static_cast<std::size_t>(group % along) + 1];
            group /= along;
        }
        DimVector<std::uint64_t> at = begin;
        for (;;) {
            std::uint64_t piece = 0;
            for (std::size_t i = 0; i < rank; ++i) piece = piece * firsts_[i].back() + at[i];
            ZARR_RETURN_IF_ERROR(visit(piece));
            std::size_t i = rank;
            while (i > 0 && ++at[i - 1] == end[i - 1]) {
                at[i - 1] = begin[i - 1];
                --i;
            }
            if (i == 0) return {};
        }
    }

  private:
    // Along each dimension: the first piece of each group, and last the number of pieces.
    std::vector<std::vector<std::uint64_t>> firsts_;
    std::uint64_t count_ = 1;
};

}  // namespace zarr
