// SPDX-License-Identifier: MIT
#include "core/references/reference_grid.h"

#include "core/base/checked.h"

namespace zarr {

Result<ReferenceGrid> ReferenceGrid::Of(const ArrayMetadata& metadata) {
    ReferenceGrid grid;
    grid.encoding_ = metadata.key_encoding();
    for (std::size_t axis = 0; axis < metadata.rank(); ++axis) {
        const std::uint64_t count = metadata.StoredAxis(axis).count();
        const auto product = CheckedMul(grid.count_, count);
        if (!product) return Status::Corrupt("shape: the array has more than 2^64 - 1 chunks");
        grid.count_ = *product;
        grid.counts_.push_back(count);
    }
    return grid;
}

std::optional<std::uint64_t> ReferenceGrid::RowOf(std::string_view name) const {
    const auto chunk = ParseChunkName(name, counts_.size(), encoding_);
    if (!chunk) return {};
    std::uint64_t row = 0;
    for (std::size_t axis = 0; axis < counts_.size(); ++axis) {
        if ((*chunk)[axis] >= counts_[axis]) return {};
        row = row * counts_[axis] + (*chunk)[axis];
    }
    return row;
}

std::string ReferenceGrid::NameOf(std::uint64_t row) const {
    DimVector<std::uint64_t> chunk(counts_.size());
    for (std::size_t axis = counts_.size(); axis-- > 0; row /= counts_[axis])
        chunk[axis] = row % counts_[axis];
    return ChunkKey("", chunk, encoding_);
}

}  // namespace zarr
