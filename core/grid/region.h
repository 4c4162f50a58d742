// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/grid/grid_axis.h"

namespace zarr {

// Regular selection of an array's elements. In each dimension, selects the elements start, start +
// step, ..., start + (count - 1) * step. A step may be negative, but not 0.
struct Region {
    DimVector<std::uint64_t> start;
    DimVector<std::uint64_t> count;
    DimVector<std::int64_t> step;

    // Returns the region that selects a whole array of `shape`.
    static Region All(const std::vector<std::uint64_t>& shape);
    // Returns the number of selected elements.
    std::uint64_t size() const;
    // Returns ok if the region has the rank of `shape` and lies inside an array of `shape`.
    // Otherwise fails with kInvalidArgument.
    Status Check(const std::vector<std::uint64_t>& shape) const;
};

// Piece of a region along one dimension: those selected elements that lie in one chunk.
struct AxisPiece {
    std::uint64_t chunk = 0;  // index of the chunk along the dimension
    // Index of the piece's first selected element among those of the region.
    std::uint64_t first = 0;
    std::uint64_t count = 0;   // number of selected elements
    std::uint64_t offset = 0;  // index of the piece's first selected element in its chunk
};

// Splits one dimension of a region at the chunk edges into one piece per chunk. Computes each piece
// on demand, so that a region may touch any number of chunks. Pieces are stored only if the axis is
// irregular and the step is neither 1 nor -1.
class AxisSplit {
  public:
    AxisSplit() = default;
    // Splits at chunks of equal size. `count` and `chunk_size` are at least 1, `step` is not 0, and
    // no selected index is negative.
    AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, std::uint64_t chunk_size)
        : AxisSplit(start, count, step, GridAxis(UINT64_MAX, chunk_size)) {}
    // Splits at the chunk edges of `axis`, which must contain every selected element. The edges
    // must outlive this object.
    AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, const GridAxis& axis);

    // Returns the number of pieces, which is the number of chunks that contain a selected element.
    // At() returns the pieces 0 to pieces() - 1 in the region's order.
    std::uint64_t pieces() const { return pieces_; }
    AxisPiece At(std::uint64_t index) const;
    // Returns the total size, in elements, of the chunks that contain a selected element; at most
    // 2^64 - 1.
    std::uint64_t ChunkElements() const;

  private:
    std::uint64_t Element(std::uint64_t index) const {
        return backwards_ ? start_ - index * stride_ : start_ + index * stride_;
    }
    // Returns the piece in chunk number `chunk`, which must contain a selected element.
    AxisPiece In(std::uint64_t chunk) const;
    void NoteFirsts();

    std::uint64_t start_ = 0;
    std::uint64_t count_ = 1;
    std::uint64_t stride_ = 1;  // |step|
    bool backwards_ = false;
    bool has_single_ = false;  // true if no chunk contains two selected elements
    GridAxis axis_;
    std::uint64_t first_chunk_ = 0;
    std::uint64_t pieces_ = 1;
    // Index of each piece's first element, counted in the region; set only if pieces are stored.
    std::vector<std::uint64_t> firsts_;
};

}  // namespace zarr
