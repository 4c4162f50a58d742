// SPDX-License-Identifier: MIT
#include "core/codec/chunk_block.h"

#include "core/base/checked.h"
#include "core/base/limits.h"

namespace zarr {

namespace {

std::string NotABlock(std::size_t size, std::size_t bytes) {
    return "holds " + std::to_string(size) + " bytes instead of " + std::to_string(bytes);
}

}  // namespace

Result<Block> Block::Of(const std::vector<std::uint64_t>& shape, const DataType& dtype) {
    if (dtype.kind == DataKind::kObject || dtype.size == 0)
        return Status::Corrupt("requires items of fixed size, got " + dtype.ToString());
    if (shape.size() > LimitOf(Limit::kDimensions))
        return OverLimit(Limit::kDimensions, "has " + std::to_string(shape.size()) + " dimensions");
    Block block;
    std::uint64_t count = 1;
    for (const std::uint64_t n : shape) {
        block.shape.push_back(n);
        count = SaturatingMul(count, n);
    }
    const std::uint64_t bytes = SaturatingMul(count, dtype.size);
    // The byte count must fit ptrdiff_t, because strides are signed.
    if (bytes > static_cast<std::uint64_t>(PTRDIFF_MAX))
        return Status::Limit("the product of the chunk's sizes overflows");
    block.item = dtype.size;
    block.count = static_cast<std::size_t>(count);
    block.bytes = static_cast<std::size_t>(bytes);
    return block;
}

Status Block::CheckDecoded(std::size_t size) const {
    return size == bytes ? Status() : Status::Invalid(NotABlock(size, bytes));
}

Status Block::CheckEncoded(std::size_t size) const {
    return size == bytes ? Status() : Status::Corrupt(NotABlock(size, bytes));
}

}  // namespace zarr
