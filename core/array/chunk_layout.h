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

// What the chunks of one shape have in common. Immutable.
struct ChunkLayout {
    std::vector<std::uint64_t> shape;  // elements per dimension
    Pipeline pipeline;
    Strides strides;                    // of the elements in a decoded chunk, in bytes
    std::uint64_t items = 1;            // elements
    std::size_t max_encoded_bytes = 0;  // stored chunks that are larger are refused
    AxisOrder axis_order;

    // Decoded bytes; 0 for kObject, whose size varies.
    std::size_t bytes() const { return pipeline.chunk_bytes(); }
    // Of what has `size` bytes for each element of the chunk.
    Strides StridesOf(std::size_t size) const;

    // Errors are the codecs', which name their place.
    static Result<ChunkLayout> Bind(const ArrayMetadata& metadata,
                                    std::vector<std::uint64_t> shape);
};

// Not counted where the array that it is of keeps it anyway.
using ChunkLayoutPtr = std::shared_ptr<const ChunkLayout>;

// The grid of an array's chunks, and their layouts: one in a regular grid; else one for each shape,
// bound when a chunk of it is first asked for, and dropped where there are too many. Thread-safe.
class ChunkLayouts {
  public:
    // `metadata` is borrowed. kCorrupt where there are more than 2^64 chunks.
    Status Bind(const ArrayMetadata& metadata);

    // Of each dimension.
    const std::vector<GridAxis>& grid() const { return grid_; }
    // Of the largest size along each dimension, which in a regular grid all chunks have.
    const ChunkLayout& largest() const { return largest_; }
    // Of a chunk inside the grid. Fails where the codecs cannot be bound to its shape.
    Result<ChunkLayoutPtr> Of(const DimVector<std::uint64_t>& chunk) const {
        if (is_regular_) return Held(largest_);
        return Find(chunk);
    }

  private:
    static ChunkLayoutPtr Held(const ChunkLayout& layout) { return {ChunkLayoutPtr(), &layout}; }
    Result<ChunkLayoutPtr> Find(const DimVector<std::uint64_t>& chunk) const;

    const ArrayMetadata* metadata_ = nullptr;
    std::vector<GridAxis> grid_;
    bool is_regular_ = true;
    ChunkLayout largest_;
    mutable ShapeCache<ChunkLayout> others_;
};

}  // namespace zarr
