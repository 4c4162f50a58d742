// SPDX-License-Identifier: MIT
#include "core/grid/region.h"

#include <algorithm>

#include "core/base/checked.h"

namespace zarr {

Region Region::All(const std::vector<std::uint64_t>& shape) {
    Region region;
    for (const std::uint64_t n : shape) {
        region.start.push_back(0);
        region.count.push_back(n);
        region.step.push_back(1);
    }
    return region;
}

std::uint64_t Region::size() const {
    std::uint64_t size = 1;
    for (const std::uint64_t n : count) size *= n;
    return size;
}

Status Region::Check(const std::vector<std::uint64_t>& shape) const {
    const std::size_t rank = shape.size();
    if (start.size() != rank || count.size() != rank || step.size() != rank)
        return Status::Invalid("the region and the array differ in their number of dimensions");
    for (std::size_t i = 0; i < rank; ++i) {
        if (count[i] == 0) continue;
        const std::uint64_t stride = step[i] < 0 ? 0 - static_cast<std::uint64_t>(step[i])
                                                 : static_cast<std::uint64_t>(step[i]);
        const auto reach = CheckedMul(count[i] - 1, stride);
        const bool inside = step[i] != 0 && start[i] < shape[i] && reach &&
                            (step[i] > 0 ? *reach < shape[i] - start[i] : *reach <= start[i]);
        if (!inside)
            return Status::Invalid("the region exceeds dimension " + std::to_string(i) +
                                   ", which has " + std::to_string(shape[i]) + " elements");
    }
    return {};
}

AxisSplit::AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step,
                     const GridAxis& axis)
    : start_(start),
      count_(count),
      stride_(step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step)),
      backwards_(step < 0),
      axis_(axis) {
    has_single_ = axis_.is_regular() && stride_ >= axis_.regular_size();
    if (has_single_) {
        pieces_ = count_;
    } else if (axis_.is_regular() || stride_ == 1) {
        first_chunk_ = axis_.ChunkOf(start_);
        const std::uint64_t last = axis_.ChunkOf(Element(count_ - 1));
        pieces_ = (backwards_ ? first_chunk_ - last : last - first_chunk_) +
                  1;  // no chunk is skipped, because no step is longer than a chunk
    } else {
        NoteFirsts();
    }
}

void AxisSplit::NoteFirsts() {
    for (std::uint64_t first = 0; first < count_;) {
        firsts_.push_back(first);
        const AxisPiece piece = In(axis_.ChunkOf(Element(first)));
        first = piece.first + piece.count;
    }
    pieces_ = firsts_.size();
}

AxisPiece AxisSplit::In(std::uint64_t chunk) const {
    AxisPiece piece;
    piece.chunk = chunk;
    const std::uint64_t low = axis_.StartOf(chunk);  // first element of the chunk
    const std::uint64_t last = low + (axis_.SizeOf(chunk) - 1);
    std::uint64_t end = 0;  // one past the last index in the region
    if (backwards_) {
        piece.first = start_ > last ? CeilDiv(start_ - last, stride_) : 0;
        end = (start_ - low) / stride_ + 1;
    } else {
        piece.first = low > start_ ? CeilDiv(low - start_, stride_) : 0;
        end = (last - start_) / stride_ + 1;
    }
    piece.count = std::min(end, count_) - piece.first;
    piece.offset = Element(piece.first) - low;
    return piece;
}

AxisPiece AxisSplit::At(std::uint64_t index) const {
    if (has_single_) {
        const std::uint64_t element = Element(index);
        const std::uint64_t chunk = axis_.ChunkOf(element);
        return {chunk, index, 1, element - axis_.StartOf(chunk)};
    }
    if (!firsts_.empty()) return In(axis_.ChunkOf(Element(firsts_[index])));
    return In(backwards_ ? first_chunk_ - index : first_chunk_ + index);
}

std::uint64_t AxisSplit::ChunkElements() const {
    if (axis_.is_regular()) return SaturatingMul(pieces_, axis_.regular_size());
    if (firsts_.empty()) {
        const std::uint64_t last = backwards_ ? first_chunk_ : first_chunk_ + (pieces_ - 1);
        return axis_.StartOf(last) + axis_.SizeOf(last) - axis_.StartOf(last - (pieces_ - 1));
    }
    std::uint64_t elements = 0;  // cannot overflow: the sum is at most the last edge
    for (std::uint64_t i = 0; i < pieces_; ++i) elements += axis_.SizeOf(At(i).chunk);
    return elements;
}

}  // namespace zarr
