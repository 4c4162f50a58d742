// SPDX-License-Identifier: MIT
#include "core/array/region_split.h"

#include <algorithm>

namespace zarr {

RegionSplit::RegionSplit(const ArrayMetadata& metadata, const Region& region,
                         const Strides& strides)
    : metadata_(metadata), region_(region), strides_(strides) {
    for (std::size_t i = 0; i < region.count.size(); ++i) {
        if (region.count[i] == 0) {
            pieces_ = 0;
            return;
        }
        splits_.push_back(
            AxisSplit(region.start[i], region.count[i], region.step[i], metadata.chunks[i]));
        pieces_ *= splits_[i].pieces();
    }
}

ChunkPart RegionSplit::At(std::uint64_t index) const {
    const std::size_t rank = splits_.size();
    ChunkPart piece;
    piece.chunk = piece.count = piece.offset = DimVector<std::uint64_t>(rank);
    piece.covers_chunk = piece.fills_chunk = true;
    for (std::size_t i = rank; i-- > 0;) {
        const AxisPiece axis = splits_[i].At(index % splits_[i].pieces());
        index /= splits_[i].pieces();
        piece.chunk[i] = axis.chunk;
        piece.count[i] = axis.count;
        piece.offset[i] = axis.offset;
        piece.place += static_cast<std::ptrdiff_t>(axis.first) * strides_[i];
        const std::uint64_t chunk_size = metadata_.chunks[i];
        const std::uint64_t inside =
            std::min(chunk_size, metadata_.shape[i] - axis.chunk * chunk_size);
        piece.covers_chunk = piece.covers_chunk && axis.count == inside;
        piece.fills_chunk = piece.fills_chunk && axis.count == chunk_size &&
                            (region_.step[i] == 1 || chunk_size == 1);
    }
    return piece;
}

ChunkWalk WalkOf(const ChunkPart& piece, const Region& region, const Strides& chunk_strides) {
    ChunkWalk walk;
    walk.strides = chunk_strides;
    for (std::size_t i = 0; i < walk.strides.size(); ++i) {
        walk.first += static_cast<std::ptrdiff_t>(piece.offset[i]) * walk.strides[i];
        walk.strides[i] *= static_cast<std::ptrdiff_t>(region.step[i]);
    }
    return walk;
}

}  // namespace zarr
