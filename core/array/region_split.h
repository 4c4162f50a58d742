// SPDX-License-Identifier: MIT
// A region in the parts that lie in one chunk each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array/chunk_layout.h"
#include "core/base/dim_vector.h"
#include "core/grid/copy.h"
#include "core/grid/grid_axis.h"
#include "core/grid/region.h"

namespace zarr {

// The part of a region that lies in one chunk.
struct ChunkPart {
    DimVector<std::uint64_t> chunk;   // index of the chunk along each dimension
    DimVector<std::uint64_t> count;   // elements along each dimension
    DimVector<std::uint64_t> offset;  // in the chunk, of the first of them
    std::ptrdiff_t place = 0;   // in the caller's memory, in bytes from the region's first element
    bool covers_chunk = false;  // every element of the array in the chunk is in it
    bool fills_chunk = false;   // and the chunk does not overhang the array
    std::size_t threads = 1;    // that may read, decode and copy it
    bool may_stay = true;       // in the cache
    ChunkLayoutPtr layout;      // to be set by who wants it
};

// A region split at the chunk boundaries: any number of pieces costs next to nothing, see
// AxisSplit.
class RegionSplit {
  public:
    // `region` lies inside the array of `grid`; `strides` are those of the caller's memory, in
    // bytes. All are borrowed.
    RegionSplit(const std::vector<GridAxis>& grid, const Region& region, const Strides& strides);

    // 0 for an empty region.
    std::uint64_t pieces() const { return pieces_; }
    ChunkPart At(std::uint64_t index) const;
    // Along one dimension: the number of pieces, and the chunk that one of them lies in. The
    // pieces are in row-major order of these.
    std::uint64_t PiecesAlong(std::size_t axis) const { return splits_[axis].pieces(); }
    std::uint64_t ChunkAlong(std::size_t axis, std::uint64_t piece) const {
        return splits_[axis].At(piece).chunk;
    }
    // Bytes that the chunks take when decoded, where one of `layout` takes as many as that says.
    std::uint64_t ChunkBytes(const ChunkLayout& layout) const;

  private:
    const std::vector<GridAxis>& grid_;
    const Region& region_;
    const Strides& strides_;
    std::vector<AxisSplit> splits_;
    std::uint64_t pieces_ = 1;
};

// Where a part begins in a chunk of `strides`, in bytes, and the strides from there in the order
// of the region's steps.
struct ChunkWalk {
    std::ptrdiff_t first = 0;
    Strides strides;
};
ChunkWalk WalkOf(const ChunkPart& part, const Region& region, const Strides& chunk_strides);

}  // namespace zarr
