// SPDX-License-Identifier: MIT
// Splits a region of an array into parts, so that each part lies in a single chunk.
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

// Part of a region of an array that lies in one chunk.
struct ChunkPart {
    DimVector<std::uint64_t> chunk;   // index of the chunk in the chunk grid
    DimVector<std::uint64_t> count;   // number of elements along each dimension
    DimVector<std::uint64_t> offset;  // index, within the chunk, of the part's first element
    // Distance in bytes, in the caller's memory, from the region's first element to the part's
    // first element.
    std::ptrdiff_t buffer_offset = 0;
    // True if the part contains all elements of the chunk that lie inside the array.
    bool covers_chunk = false;
    // True if the whole chunk lies inside the array, the part is the whole chunk, and the part's
    // elements have the order of the chunk's elements.
    bool fills_chunk = false;
    std::size_t threads = 1;    // number of threads that may read, decode and copy the part
    bool may_be_cached = true;  // true if the decoded chunk may be put into the chunk cache
    ChunkLayoutPtr layout;      // layout of the chunk; RegionSplit does not set it
};

// A region of an array, split at the chunk edges. Each part is computed when it is requested, so
// that a region may have any number of parts.
class RegionSplit {
  public:
    // Splits `region` of an array with the chunk grid `grid`; the region must lie inside the array.
    // `strides` are those of the caller's memory, in bytes. All arguments must outlive this object.
    RegionSplit(const std::vector<GridAxis>& grid, const Region& region, const Strides& strides);

    // Returns the number of parts, 0 for an empty region. At() returns the part number `index`,
    // from 0.
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

// Memory layout of a region's part in a decoded chunk. `first` is the byte offset of the part's
// first element. `strides` are the distances in bytes between neighbouring elements of the part.
struct ChunkWalk {
    std::ptrdiff_t first = 0;
    Strides strides;
};
ChunkWalk WalkOf(const ChunkPart& part, const Region& region, const Strides& chunk_strides);

}  // namespace zarr
