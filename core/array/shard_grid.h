// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/grid/grid_axis.h"
#include "core/grid/row_major.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// The chunks of one shard: those from `first` on, `count` of them along each dimension, beyond the
// array's edge, too. Their places are counted from `first`.
struct ShardBox {
    using Index = DimVector<std::uint64_t>;

    std::uint64_t shard = 0;  // its number
    Index first;
    Index count;

    bool Has(const Index& chunk) const {
        for (std::size_t i = 0; i < first.size(); ++i)
            if (chunk[i] - first[i] >= count[i]) return false;  // also of what lies before it
        return true;
    }
    Index PlaceOf(const Index& chunk) const {
        Index place;
        for (std::size_t i = 0; i < first.size(); ++i) place.push_back(chunk[i] - first[i]);
        return place;
    }
    // A chunk's number in the shard, row-major, and the chunk of a number.
    std::uint64_t NumberOf(const Index& chunk) const {
        return RowMajorNumber(PlaceOf(chunk), count);
    }
    Index ChunkOf(std::uint64_t number) const {
        Index chunk = RowMajorPlace(number, count);
        for (std::size_t i = 0; i < first.size(); ++i) chunk[i] += first[i];
        return chunk;
    }
    // How many there are.
    std::uint64_t chunks() const {
        std::uint64_t product = 1;
        for (const std::uint64_t along : count) product *= along;
        return product;
    }
};

// Which chunks of an array lie in which of its outermost shards. Along each dimension the shards
// are a grid as any other, measured in chunks: of one size, or of several where the array's grid
// has these. Chunks and shards are named by their index along each dimension, or by its number in
// row-major order. Immutable.
class ShardGrid {
  public:
    using Index = DimVector<std::uint64_t>;

    // Of an array that has shards. kCorrupt where a shard is of no whole chunks, or the shards have
    // more than 2^64 of them.
    static Result<ShardGrid> Bind(const ArrayMetadata& metadata);
    ~ShardGrid() = default;
    ShardGrid(ShardGrid&&) = default;  // what the axes borrow stays where it is
    ShardGrid& operator=(ShardGrid&&) = default;
    ShardGrid(const ShardGrid&) = delete;
    ShardGrid& operator=(const ShardGrid&) = delete;

    const std::vector<GridAxis>& axes() const { return axes_; }
    // Of the array, and along each dimension.
    const Index& chunk_counts() const { return chunk_counts_; }
    const Index& shard_counts() const { return shard_counts_; }
    // Chunks along each dimension to the end of the last shard.
    const Index& span() const { return span_; }

    Index ShardOf(const Index& chunk) const;
    ShardBox BoxOf(const Index& shard) const;
    ShardBox BoxAt(std::uint64_t shard) const { return BoxOf(ShardAt(shard)); }
    ShardBox BoxAround(const Index& chunk) const { return BoxOf(ShardOf(chunk)); }

    std::uint64_t NumberOfShard(const Index& shard) const {
        return RowMajorNumber(shard, shard_counts_);
    }
    Index ShardAt(std::uint64_t number) const { return RowMajorPlace(number, shard_counts_); }
    std::uint64_t NumberOfChunk(const Index& chunk) const {
        return RowMajorNumber(chunk, chunk_counts_);
    }
    Index ChunkAt(std::uint64_t number) const { return RowMajorPlace(number, chunk_counts_); }

    // True for chunks that hold an element of the array.
    bool IsInside(const Index& chunk) const;
    // How many of a shard do.
    std::uint64_t ChunksInside(const ShardBox& box) const;

  private:
    ShardGrid() = default;

    std::vector<std::vector<std::uint64_t>> ends_;  // of irregular axes, in chunks
    std::vector<GridAxis> axes_;
    Index chunk_counts_;
    Index shard_counts_;
    Index span_;
};

}  // namespace zarr
