// SPDX-License-Identifier: MIT
// Sizes of a chunk that Zarr v3 codecs process as a block: items in row-major order, with known
// shape.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/codec/codec.h"

namespace zarr {

// Shape and size in bytes of the items that a codec is bound to.
struct Block {
    DimVector<std::uint64_t> shape;
    std::size_t item = 0;   // bytes of one item
    std::size_t count = 0;  // number of items
    std::size_t bytes = 0;

    // Returns the block of `shape` with items of `dtype`. Returns kLimit for too many dimensions or
    // bytes; kCorrupt if items have no fixed size.
    static Result<Block> Of(const std::vector<std::uint64_t>& shape, const DataType& dtype);
    static Result<Block> Of(const CodecContext& context) {
        return Of(context.chunk_shape, context.dtype);
    }

    // Return an error if `size` is not the block's size in bytes: kInvalidArgument for decoded
    // data, kCorrupt for encoded data.
    Status CheckDecoded(std::size_t size) const;
    Status CheckEncoded(std::size_t size) const;
};

}  // namespace zarr
