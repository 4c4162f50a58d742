// SPDX-License-Identifier: MIT
// Blocks of items that codecs of Zarr v3 arrange: row-major, of a shape that is known.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/codec/codec.h"

namespace zarr {

// The shape of what a codec is bound to, and its bytes.
struct Block {
    DimVector<std::uint64_t> shape;
    std::size_t item = 0;   // bytes of an item
    std::size_t count = 0;  // items
    std::size_t bytes = 0;

    // kLimit where there are too many dimensions or bytes; kCorrupt for items of no fixed size.
    static Result<Block> Of(const std::vector<std::uint64_t>& shape, const DataType& dtype);
    static Result<Block> Of(const CodecContext& context) {
        return Of(context.chunk_shape, context.dtype);
    }

    // Fails where `size` bytes are not the block's.
    Status CheckDecoded(std::size_t size) const;
    Status CheckEncoded(std::size_t size) const;
};

}  // namespace zarr
