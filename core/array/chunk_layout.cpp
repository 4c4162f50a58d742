// SPDX-License-Identifier: MIT
#include "core/array/chunk_layout.h"

#include <algorithm>
#include <utility>

#include "core/base/checked.h"

namespace zarr {

namespace {

bool HasShape(const ChunkLayout& layout, const DimVector<std::uint64_t>& shape) {
    return std::equal(shape.begin(), shape.end(), layout.shape.begin(), layout.shape.end());
}

}  // namespace

Strides ChunkLayout::StridesOf(std::size_t size) const {
    DimVector<std::uint64_t> dims;
    for (const std::uint64_t n : shape) dims.push_back(n);
    return ContiguousStrides(dims, size, axis_order);
}

Result<ChunkLayout> ChunkLayout::Bind(const ArrayMetadata& metadata,
                                      std::vector<std::uint64_t> shape) {
    ChunkLayout layout;
    ZARR_ASSIGN_OR_RETURN(layout.pipeline, Pipeline::Bind(metadata.codecs, {metadata.dtype, shape,
                                                                            metadata.axis_order}));
    layout.shape = std::move(shape);
    layout.axis_order = metadata.axis_order;
    layout.strides = layout.StridesOf(metadata.dtype.size);
    for (const std::uint64_t n : layout.shape)
        layout.items *= n;  // cannot overflow: Pipeline::Bind() has checked the product
    // The limit is twice the maximum size that known encoders write. It accepts larger results of
    // other encoders, but rejects a decompression bomb.
    layout.max_encoded_bytes =
        SaturatingAdd(SaturatingMul(layout.pipeline.max_encoded_bytes(), 2), 65536);
    return layout;
}

Status ChunkLayouts::Bind(const ArrayMetadata& metadata) {
    metadata_ = &metadata;
    std::uint64_t total = 1;  // total number of chunks, which must fit into ChunkId::chunk
    for (std::size_t i = 0; i < metadata.rank(); ++i) {
        grid_.push_back(metadata.ChunkAxis(i));
        is_regular_ = is_regular_ && grid_[i].is_regular();
        const auto product = CheckedMul(total, grid_[i].count());
        if (!product) return Status::Corrupt("chunks: the array has more than 2^64 chunks");
        total = *product;
    }
    ZARR_ASSIGN_OR_RETURN(largest_, ChunkLayout::Bind(metadata, metadata.chunks));
    return {};
}

Result<ChunkLayoutPtr> ChunkLayouts::Find(const DimVector<std::uint64_t>& chunk) const {
    DimVector<std::uint64_t> shape;
    for (std::size_t i = 0; i < chunk.size(); ++i) shape.push_back(grid_[i].SizeOf(chunk[i]));
    if (HasShape(largest_, shape)) return Unowned(largest_);
    const auto bind = [&] { return ChunkLayout::Bind(*metadata_, {shape.begin(), shape.end()}); };
    return others_.GetOrMake(shape, bind);
}

}  // namespace zarr
