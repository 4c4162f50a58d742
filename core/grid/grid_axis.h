// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/checked.h"

namespace zarr {

// Division of one dimension of an array into chunks or shards: regular, or at arbitrary edges as in
// Zarr v3's rectilinear grid. The last chunk keeps its full size if it extends beyond the array.
// Sizes are in elements. Cheap to copy; does not own the edges.
class GridAxis {
  public:
    GridAxis() = default;
    // Divides `length` elements into chunks of `size` elements each; `size` is >= 1.
    GridAxis(std::uint64_t length, std::uint64_t size)
        : length_(length), size_(size), count_(CeilDiv(length, size)) {}
    // Divides `length` elements at the given chunk ends. `ends` are ascending and > 0, and the last
    // end is >= `length`. `ends` must outlive this object.
    GridAxis(std::uint64_t length, const std::vector<std::uint64_t>& ends);

    bool is_regular() const { return ends_ == nullptr; }
    // Returns the array's length along the dimension, in elements.
    std::uint64_t length() const { return length_; }
    // Returns the number of chunks that contain at least one element of the array.
    std::uint64_t count() const { return count_; }

    // Returns the index of the chunk that contains `element`, which must be < length().
    std::uint64_t ChunkOf(std::uint64_t element) const {
        return is_regular() ? element / size_ : FindChunk(element);
    }
    // Returns the index in the array of the chunk's first element.
    std::uint64_t StartOf(std::uint64_t chunk) const {
        if (is_regular()) return chunk * size_;
        return chunk == 0 ? 0 : ends_[chunk - 1];
    }
    // Returns the chunk's size, including elements beyond the end of the array.
    std::uint64_t SizeOf(std::uint64_t chunk) const {
        return is_regular() ? size_ : ends_[chunk] - StartOf(chunk);
    }
    // Returns how many of the chunk's elements are inside the array.
    std::uint64_t InsideOf(std::uint64_t chunk) const {
        const std::uint64_t start = StartOf(chunk);
        const std::uint64_t size = is_regular() ? size_ : ends_[chunk] - start;
        return size < length_ - start ? size : length_ - start;
    }
    // Returns the size of every chunk of a regular axis; 0 if irregular.
    std::uint64_t regular_size() const { return size_; }
    // Returns the largest SizeOf() of all chunks that contain an element of the array. If the array
    // is empty, returns SizeOf(0). Takes time linear in count() if the axis is irregular.
    std::uint64_t LargestSize() const;
    // Returns the number of chunks that contain any of the first `length` elements.
    std::uint64_t CountOf(std::uint64_t length) const {
        return length == 0 ? 0 : ChunkOf(length - 1) + 1;
    }
    // Returns `length` rounded up to whole chunks: the end of the chunk that contains element
    // `length` - 1, or 0 if `length` is 0.
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
    const std::uint64_t* ends_ = nullptr;  // ends of the first max(count_, 1) chunks; not owned
};

}  // namespace zarr
