// SPDX-License-Identifier: MIT
#include "core/array/shard_grid.h"

#include <algorithm>
#include <string>

#include "core/base/checked.h"

namespace zarr {

namespace {

Status NoWholeChunks(const std::string& shard, std::size_t axis, std::uint64_t size,
                     std::uint64_t chunk) {
    return Status::Corrupt(shard + " has " + std::to_string(size) + " elements along dimension " +
                           std::to_string(axis) + ", not a multiple of the inner chunk size " +
                           std::to_string(chunk));
}

}  // namespace

Result<ShardGrid> ShardGrid::Bind(const ArrayMetadata& metadata) {
    ShardGrid grid;
    const std::size_t rank = metadata.rank();
    if (metadata.stored_chunks().size() != rank || metadata.chunks.size() != rank)
        return Status::Corrupt(
            "shard shape: has " + std::to_string(metadata.stored_chunks().size()) +
            " sizes and its chunks have " + std::to_string(metadata.chunks.size()) +
            ", but the array has " + std::to_string(rank) + " dimensions");
    grid.ends_.resize(rank);
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < rank; ++i) {
        const std::uint64_t chunk = metadata.chunks[i];
        const std::uint64_t count = CeilDiv(metadata.shape[i], chunk);
        const bool is_regular = metadata.edges.empty() || metadata.edges[i].empty();
        std::uint64_t span = 0;
        if (is_regular) {
            const std::uint64_t size = metadata.stored_chunks()[i];
            if (size == 0 || size % chunk != 0) return NoWholeChunks("a shard", i, size, chunk);
            grid.axes_.emplace_back(count, size / chunk);
            span = SaturatingMul(grid.axes_[i].count(), size / chunk);
        } else {
            std::uint64_t start = 0;
            for (const std::uint64_t end : metadata.edges[i]) {
                if ((end - start) % chunk != 0)
                    return NoWholeChunks("shard " + std::to_string(grid.ends_[i].size()), i,
                                         end - start, chunk);
                start = end;
                grid.ends_[i].push_back(end / chunk);
            }
            grid.axes_.emplace_back(count, grid.ends_[i]);
            span = grid.axes_[i].WholeChunks(count);
        }
        grid.chunk_counts_.push_back(count);
        grid.shard_counts_.push_back(grid.axes_[i].count());
        grid.span_.push_back(span);
        chunks = SaturatingMul(chunks, span);
    }
    // `chunks` includes chunks beyond the array's edge, because every chunk of a shard has a
    // row-major number.
    if (chunks == UINT64_MAX) return Status::Corrupt("chunks: the array has more than 2^64 chunks");
    return grid;
}

ShardGrid::Index ShardGrid::ShardOf(const Index& chunk) const {
    Index shard;
    for (std::size_t i = 0; i < axes_.size(); ++i) shard.push_back(axes_[i].ChunkOf(chunk[i]));
    return shard;
}

ShardBox ShardGrid::BoxOf(const Index& shard) const {
    ShardBox box;
    box.shard = NumberOfShard(shard);
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        box.first.push_back(axes_[i].StartOf(shard[i]));
        box.count.push_back(axes_[i].SizeOf(shard[i]));
    }
    return box;
}

bool ShardGrid::IsInside(const Index& chunk) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (chunk[i] >= chunk_counts_[i]) return false;
    return true;
}

std::uint64_t ShardGrid::ChunksInside(const ShardBox& box) const {
    std::uint64_t chunks = 1;
    for (std::size_t i = 0; i < axes_.size(); ++i)
        chunks *= std::min(box.count[i], chunk_counts_[i] - box.first[i]);
    return chunks;
}

}  // namespace zarr
