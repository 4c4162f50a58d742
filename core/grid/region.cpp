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
        return Status::Invalid("the region has another number of dimensions than the array");
    for (std::size_t i = 0; i < rank; ++i) {
        if (count[i] == 0) continue;
        const std::uint64_t stride = step[i] < 0 ? 0 - static_cast<std::uint64_t>(step[i])
                                                 : static_cast<std::uint64_t>(step[i]);
        const auto reach = CheckedMul(count[i] - 1, stride);
        const bool inside = step[i] != 0 && start[i] < shape[i] && reach &&
                            (step[i] > 0 ? *reach < shape[i] - start[i] : *reach <= start[i]);
        if (!inside)
            return Status::Invalid("the region leaves dimension " + std::to_string(i) +
                                   ", which has " + std::to_string(shape[i]) + " elements");
    }
    return {};
}

AxisSplit::AxisSplit(std::uint64_t start, std::uint64_t count, std::int64_t step,
                     std::uint64_t chunk_size)
    : start_(start),
      count_(count),
      stride_(step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step)),
      backwards_(step < 0),
      chunk_size_(chunk_size) {
    if (stride_ >= chunk_size_) {
        pieces_ = count_;  // no chunk holds two elements
    } else {
        const std::uint64_t a = start_ / chunk_size_;
        const std::uint64_t b = Element(count_ - 1) / chunk_size_;
        pieces_ = (backwards_ ? a - b : b - a) + 1;  // no chunk between is left out
    }
}

std::uint64_t AxisSplit::Element(std::uint64_t index) const {
    return backwards_ ? start_ - index * stride_ : start_ + index * stride_;
}

AxisPiece AxisSplit::At(std::uint64_t index) const {
    AxisPiece piece;
    if (stride_ >= chunk_size_) {
        piece.first = index;
        piece.count = 1;
        piece.chunk = Element(index) / chunk_size_;
    } else {
        const std::uint64_t first_chunk = start_ / chunk_size_;
        piece.chunk = backwards_ ? first_chunk - index : first_chunk + index;
        const std::uint64_t low = piece.chunk * chunk_size_;  // first element of the chunk
        const std::uint64_t last = low + (chunk_size_ - 1);
        std::uint64_t end = 0;  // one past the last index in the region
        if (backwards_) {
            piece.first = start_ > last ? CeilDiv(start_ - last, stride_) : 0;
            end = (start_ - low) / stride_ + 1;
        } else {
            piece.first = low > start_ ? CeilDiv(low - start_, stride_) : 0;
            end = (last - start_) / stride_ + 1;
        }
        piece.count = std::min(end, count_) - piece.first;
    }
    piece.offset = Element(piece.first) % chunk_size_;
    return piece;
}

}  // namespace zarr
