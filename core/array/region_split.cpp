// SPDX-License-Identifier: MIT
#include "core/array/region_split.h"

#include "core/base/checked.h"

namespace zarr {

RegionSplit::RegionSplit(const std::vector<GridAxis>& grid, const Region& region,
                         const Strides& strides)
    : grid_(grid), region_(region), strides_(strides) {
    splits_.reserve(region.count.size());
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.count[i] == 0) {
            pieces_ = 0;
            return;
        }
        splits_.emplace_back(region.start[i], region.count[i], region.step[i], grid[i]);
        pieces_ *= splits_[i].pieces();
    }
}

std::uint64_t RegionSplit::ChunkBytes(const ChunkLayout& layout) const {
    if (pieces_ == 0 || layout.items == 0) return 0;
    std::uint64_t bytes = layout.bytes() / layout.items;
    for (const AxisSplit& split : splits_) bytes = SaturatingMul(bytes, split.ChunkElements());
    return bytes;
}

ChunkPart RegionSplit::At(std::uint64_t index) const {
    const std::size_t rank = splits_.size();
    ChunkPart part;
    part.chunk = part.count = part.offset = DimVector<std::uint64_t>(rank);
    part.covers_chunk = part.fills_chunk = true;
    for (std::size_t i = rank; i-- > 0;) {
        const AxisPiece axis = splits_[i].At(index % splits_[i].pieces());
        index /= splits_[i].pieces();
        part.chunk[i] = axis.chunk;
        part.count[i] = axis.count;
        part.offset[i] = axis.offset;
        part.buffer_offset += static_cast<std::ptrdiff_t>(axis.first) * strides_[i];
        const std::uint64_t chunk_size = grid_[i].SizeOf(axis.chunk);
        part.covers_chunk = part.covers_chunk && axis.count == grid_[i].InsideOf(axis.chunk);
        part.fills_chunk = part.fills_chunk && axis.count == chunk_size &&
                           (region_.step[i] == 1 || chunk_size == 1);
    }
    return part;
}

ChunkWalk WalkOf(const ChunkPart& part, const Region& region, const Strides& chunk_strides) {
    ChunkWalk walk;
    walk.strides = chunk_strides;
    for (std::size_t i = 0; i < walk.strides.size(); ++i) {
        walk.first += static_cast<std::ptrdiff_t>(part.offset[i]) * walk.strides[i];
        walk.strides[i] *= static_cast<std::ptrdiff_t>(region.step[i]);
    }
    return walk;
}

}  // namespace zarr
