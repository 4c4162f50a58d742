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

// The chunks of one shard, including chunks beyond the array's edge. Along each dimension the shard
// has `count` chunks, beginning with the chunk `first`. IndexInShard() counts from `first`.
struct ShardBox {
    using Index = DimVector<std::uint64_t>;

    std::uint64_t shard = 0;  // row-major number of the shard in the grid of shards
    Index first;
    Index count;

    bool Has(const Index& chunk) const {
        for (std::size_t i = 0; i < first.size(); ++i)
            // If the chunk lies before `first`, the unsigned difference wraps around and exceeds
            // `count`.
            if (chunk[i] - first[i] >= count[i]) return false;
        return true;
    }
    Index IndexInShard(const Index& chunk) const {
        Index index_in_shard;
        for (std::size_t i = 0; i < first.size(); ++i)
            index_in_shard.push_back(chunk[i] - first[i]);
        return index_in_shard;
    }
    // NumberOf() returns the row-major number of a chunk within the shard. ChunkOf() returns the
    // chunk that has a given number.
    std::uint64_t NumberOf(const Index& chunk) const {
        return RowMajorNumber(IndexInShard(chunk), count);
    }
    Index ChunkOf(std::uint64_t number) const {
        Index chunk = RowMajorIndex(number, count);
        for (std::size_t i = 0; i < first.size(); ++i) chunk[i] += first[i];
        return chunk;
    }
    // Returns the number of chunks in the shard, including chunks beyond the array's edge.
    std::uint64_t chunks() const {
        std::uint64_t product = 1;
        for (const std::uint64_t along : count) product *= along;
        return product;
    }
};

// Mapping between chunks and the outermost shards that contain them. The grid of shards may be
// irregular, like the array's grid of chunks. Chunks and shards are identified by their indices
// along each dimension, or by row-major numbers. Immutable.
class ShardGrid {
  public:
    using Index = DimVector<std::uint64_t>;

    // Creates the grid of an array with shards. Fails with kCorrupt if a shard does not consist of
    // whole chunks, or if the shards have more than 2^64 chunks.
    static Result<ShardGrid> Bind(const ArrayMetadata& metadata);
    ~ShardGrid() = default;
    // GridAxis objects point into vectors, and a move keeps the memory of vectors.
    ShardGrid(ShardGrid&&) = default;
    ShardGrid& operator=(ShardGrid&&) = default;
    ShardGrid(const ShardGrid&) = delete;
    ShardGrid& operator=(const ShardGrid&) = delete;

    const std::vector<GridAxis>& axes() const { return axes_; }
    // Return the numbers of chunks and of shards of the array, along each dimension.
    const Index& chunk_counts() const { return chunk_counts_; }
    const Index& shard_counts() const { return shard_counts_; }
    // Returns the number of chunks along each dimension up to the end of the last shard, including
    // chunks beyond the array's edge.
    const Index& span() const { return span_; }

    Index ShardOf(const Index& chunk) const;
    ShardBox BoxOf(const Index& shard) const;
    ShardBox BoxAt(std::uint64_t shard) const { return BoxOf(ShardAt(shard)); }
    ShardBox BoxAround(const Index& chunk) const { return BoxOf(ShardOf(chunk)); }

    std::uint64_t NumberOfShard(const Index& shard) const {
        return RowMajorNumber(shard, shard_counts_);
    }
    Index ShardAt(std::uint64_t number) const { return RowMajorIndex(number, shard_counts_); }
    std::uint64_t NumberOfChunk(const Index& chunk) const {
        return RowMajorNumber(chunk, chunk_counts_);
    }
    Index ChunkAt(std::uint64_t number) const { return RowMajorIndex(number, chunk_counts_); }

    // True if the chunk contains an element of the array.
    bool IsInside(const Index& chunk) const;
    // Returns the number of a shard's chunks that contain an element of the array.
    std::uint64_t ChunksInside(const ShardBox& box) const;

  private:
    ShardGrid() = default;

    // For each irregular dimension, the ends of its shards, counted in chunks.
    std::vector<std::vector<std::uint64_t>> ends_;
    std::vector<GridAxis> axes_;
    Index chunk_counts_;
    Index shard_counts_;
    Index span_;
};

}  // namespace zarr
