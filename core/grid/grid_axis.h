// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/checked.h"

namespace zarr {

// How an array is divided into chunks, or into shards, along one dimension: regularly, by
// arithmetic, or at edges of any distance, as Zarr v3's rectilinear grid has them, by a binary
// search. Where the last chunk overhangs the array, it has its full size all the same. Sizes are in
// elements. A small value, which borrows the edges.
class GridAxis {
  public:
    GridAxis() = default;
    // Chunks of `size` elements each, which is >= 1; of `length` elements.
    GridAxis(std::uint64_t length, std::uint64_t size)
        : length_(length), size_(size), count_(CeilDiv(length, size)) {}
    // `ends` is where each chunk ends: borrowed, ascending from above 0 on, the last >= `length`.
    GridAxis(std::uint64_t length, const std::vector<std::uint64_t>& ends);

    bool is_regular() const { return ends_ == nullptr; }
    // Elements of the array.
    std::uint64_t length() const { return length_; }
    // Number of chunks that hold an element of the array.
    std::uint64_t count() const { return count_; }

    // The chunk that holds an element of the array.
    std::uint64_t ChunkOf(std::uint64_t element) const {
        return is_regular() ? element / size_ : FindChunk(element);
    }
    // The first element of a chunk.
    std::uint64_t StartOf(std::uint64_t chunk) const {
        if (is_regular()) return chunk * size_;
        return chunk == 0 ? 0 : ends_[chunk - 1];
    }
    // The size of a chunk, with what overhangs the array.
    std::uint64_t SizeOf(std::uint64_t chunk) const {
        return is_regular() ? size_ : ends_[chunk] - StartOf(chunk);
    }
    // The elements of the array in a chunk.
    std::uint64_t InsideOf(std::uint64_t chunk) const {
        const std::uint64_t start = StartOf(chunk);
        const std::uint64_t size = is_regular() ? size_ : ends_[chunk] - start;
        return size < length_ - start ? size : length_ - start;
    }
    // Of a regular axis: of each chunk. Of others 0.
    std::uint64_t regular_size() const { return size_; }
    // The largest size of a chunk that holds an element of the array; of the first chunk, where
    // none does. Looks at all of them.
    std::uint64_t LargestSize() const;
    // Number of chunks that hold one of the first `length` elements of the array.
    std::uint64_t CountOf(std::uint64_t length) const {
        return length == 0 ? 0 : ChunkOf(length - 1) + 1;
    }
    // The least multiple of chunks, from element 0 on, that holds the first `length` elements of
    // the array.
    std::uint64_t WholeChunks(std::uint64_t length) const {
        if (length == 0) return 0;
        const std::uint64_t last = ChunkOf(length - 1);
        return StartOf(last) + SizeOf(last);
    }

  private:
    std::uint64_t FindChunk(std::uint64_t element) const;

    std::uint64_t length_ = 0;
    std::uint64_t size_ = 1;
    std::uint64_t count_ = 0;
    const std::uint64_t* ends_ = nullptr;  // of the first count_ chunks, or of one
};

}  // namespace zarr
