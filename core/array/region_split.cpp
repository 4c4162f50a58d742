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
    ChunkPart part;
    part.chunk = part.count = part.offset = DimVector<std::uint64_t>(rank);
    part.covers_chunk = part.fills_chunk = true;
    for (std::size_t i = rank; i-- > 0;) {
        const AxisPiece axis = splits_[i].At(index % splits_[i].pieces());
        index /= splits_[i].pieces();
        part.chunk[i] = axis.chunk;
        part.count[i] = axis.count;
        part.offset[i] = axis.offset;
        part.place += static_cast<std::ptrdiff_t>(axis.first) * strides_[i];
        const std::uint64_t chunk_size = metadata_.chunks[i];
        const std::uint64_t inside =
            std::min(chunk_size, metadata_.shape[i] - axis.chunk * chunk_size);
        part.covers_chunk = part.covers_chunk && axis.count == inside;
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
