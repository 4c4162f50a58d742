// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/grid/grid_axis.h"

namespace zarr {

// A regular selection of an array: in each dimension the elements start, start + step, ...,
// start + (count - 1) * step. Steps may be negative, never 0.
struct Region {
    DimVector<std::uint64_t> start;
    DimVector<std::uint64_t> count;
    DimVector<std::int64_t> step;

    // The whole of an array of `shape`.
    static Region All(const std::vector<std::uint64_t>& shape);
    // Number of elements.
    std::uint64_t size() const;
    // kInvalidArgument unless the region has the rank of `shape` and lies inside it.
    Status Check(const std::vector<std::uint64_t>& shape) const;
};

// The elements of one dimension of a region that lie in one chunk.
struct AxisPiece {
    std::uint64_t chunk = 0;   // index of the chunk along the dimension
    std::uint64_t first = 0;   // index in the region of the first element
    std::uint64_t count = 0;   // number of elements
    std::uint64_t offset = 0;  // index in the chunk of the first element
};

// Splits one dimension of a region at the chunk boundaries. By arithmetic, so that a region may
// touch any number of chunks and no piece is stored; of an irregular axis so where the step is 1 or
// -1, else the first element of each piece is noted.
class AxisSplit {
  public:
    AxisSplit() = default;
    // `count` and `chunk_size` >= 1, `step` != 0; every element is >= 0.
    AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, std::uint64_t chunk_size)
        : AxisSplit(start, count, step, GridAxis(UINT64_MAX, chunk_size)) {}
    // Every element lies in `axis`, whose edges are borrowed.
    AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step, const GridAxis& axis);

    // Number of chunks that hold an element; the pieces, in the region's order, are At(0) ...
    // At(pieces() - 1).
    std::uint64_t pieces() const { return pieces_; }
    AxisPiece At(std::uint64_t index) const;
    // Sum of the sizes of these chunks, at most 2^64 - 1.
    std::uint64_t ChunkElements() const;

  private:
    std::uint64_t Element(std::uint64_t index) const {
        return backwards_ ? start_ - index * stride_ : start_ + index * stride_;
    }
    // The piece of `chunk`, of which some element is in the region.
    AxisPiece In(std::uint64_t chunk) const;
    void NoteFirsts();

    std::uint64_t start_ = 0;
    std::uint64_t count_ = 1;
    std::uint64_t stride_ = 1;  // |step|
    bool backwards_ = false;
    bool has_single_ = false;  // no chunk holds two elements
    GridAxis axis_;
    std::uint64_t first_chunk_ = 0;
    std::uint64_t pieces_ = 1;
    std::vector<std::uint64_t> firsts_;  // index in the region of each piece's first element
};

}  // namespace zarr
