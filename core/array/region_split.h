// SPDX-License-Identifier: MIT
// Splits a region into parts, each in a single chunk.
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

// Part of a region that is in one chunk.
struct ChunkPart {
    DimVector<std::uint64_t> chunk;   // index of the chunk along each dimension
    DimVector<std::uint64_t> count;   // elements of the part along each dimension
    DimVector<std::uint64_t> offset;  // index in the chunk of the part's first element
    // Distance in bytes, in the caller's memory, from the region's first element to the part's
    // first element.
    std::ptrdiff_t buffer_offset = 0;
    // True if the part contains every element that the chunk has inside the array.
    bool covers_chunk = false;
    // True if the part is a whole chunk inside the array, and the region has no negative steps.
    bool fills_chunk = false;
    std::size_t threads = 1;    // number of threads that may read, decode and copy the part
    bool may_be_cached = true;  // true if the chunk may stay in the cache
    ChunkLayoutPtr layout;      // layout of the chunk; RegionSplit does not set it
};

// A region split at the chunk edges. A RegionSplit does not store its parts, but computes each on
// demand, so that any number of parts is cheap; see AxisSplit.
class RegionSplit {
  public:
    // Splits `region`, which must be inside the array with the chunk grid `grid`. `strides` are the
    // strides of the caller's memory in bytes. All arguments must outlive this object.
    RegionSplit(const std::vector<GridAxis>& grid, const Region& region, const Strides& strides);

    // Returns the number of parts; 0 for an empty region. At() returns part number `index`.
    std::uint64_t pieces() const { return pieces_; }
    ChunkPart At(std::uint64_t index) const;
    // PiecesAlong() returns the number of parts along one dimension. ChunkAlong() returns the chunk
    // index of a part along one dimension. Parts are in row-major order.
    std::uint64_t PiecesAlong(std::size_t axis) const { return splits_[axis].pieces(); }
    std::uint64_t ChunkAlong(std::size_t axis, std::uint64_t piece) const {
        return splits_[axis].At(piece).chunk;
    }
    // Returns the total decoded size, in bytes, of the chunks that the region touches. The element
    // size is taken from `layout`.
    std::uint64_t ChunkBytes(const ChunkLayout& layout) const;

  private:
    const std::vector<GridAxis>& grid_;
    const Region& region_;
    const Strides& strides_;
    std::vector<AxisSplit> splits_;
    std::uint64_t pieces_ = 1;
};

// Position of a part of a region in the memory of a decoded chunk. `first` is the offset in bytes
// of the part's first element. `strides` are the distances in bytes between neighbouring elements
// of the part.
struct ChunkWalk {
    std::ptrdiff_t first = 0;
    Strides strides;
};
ChunkWalk WalkOf(const ChunkPart& part, const Region& region, const Strides& chunk_strides);

}  // namespace zarr
