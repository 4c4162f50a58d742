// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "core/array/shape_cache.h"
#include "core/base/status.h"
#include "core/codec/pipeline.h"
#include "core/grid/copy.h"
#include "core/grid/grid_axis.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Properties that all chunks of one shape have in common. Immutable.
struct ChunkLayout {
    std::vector<std::uint64_t> shape;  // elements per dimension
    Pipeline pipeline;
    Strides strides;                    // distances in bytes between elements of a chunk
    std::uint64_t items = 1;            // number of elements in a chunk
    std::size_t max_encoded_bytes = 0;  // maximum stored size; larger chunks are rejected
    AxisOrder axis_order;

    // Returns the decoded size in bytes; 0 for kObject, whose size varies.
    std::size_t bytes() const { return pipeline.chunk_bytes(); }
    // Returns the strides in bytes of a chunk whose elements have `size` bytes each.
    Strides StridesOf(std::size_t size) const;

    // Creates the layout of chunks of `shape`, with the codecs of `metadata` bound to that shape.
    // Fails if a codec does not accept the shape or the data type.
    static Result<ChunkLayout> Bind(const ArrayMetadata& metadata,
                                    std::vector<std::uint64_t> shape);
};

// Pointer to a layout. A pointer to ChunkLayouts::largest() has no ownership, because the array
// owns that layout.
using ChunkLayoutPtr = std::shared_ptr<const ChunkLayout>;

// The chunk grid of an array, and the layouts of its chunks. A regular grid has one layout. An
// irregular grid has one layout per chunk shape, made on first use and dropped if there are too
// many. Thread-safe.
class ChunkLayouts {
  public:
    // Sets the array's metadata. Must be called before all other methods. `metadata` must outlive
    // this object. Fails with kCorrupt if the array has more than 2^64 chunks.
    Status Bind(const ArrayMetadata& metadata);

    // Returns the chunk grid, one axis per dimension.
    const std::vector<GridAxis>& grid() const { return grid_; }
    // Returns the layout of a chunk with the largest size along each dimension. In a regular grid
    // every chunk has this layout.
    const ChunkLayout& largest() const { return largest_; }
    // Returns the layout of a chunk, which must be inside the grid. Fails if the codecs cannot be
    // bound to the chunk's shape.
    Result<ChunkLayoutPtr> Of(const DimVector<std::uint64_t>& chunk) const {
        if (is_regular_) return Unowned(largest_);
        return Find(chunk);
    }

  private:
    static ChunkLayoutPtr Unowned(const ChunkLayout& layout) { return {ChunkLayoutPtr(), &layout}; }
    Result<ChunkLayoutPtr> Find(const DimVector<std::uint64_t>& chunk) const;

    const ArrayMetadata* metadata_ = nullptr;
    std::vector<GridAxis> grid_;
    bool is_regular_ = true;
    ChunkLayout largest_;
    mutable ShapeCache<ChunkLayout> others_;
};

}  // namespace zarr
