// SPDX-License-Identifier: MIT
// Block: the shape and sizes of a chunk that a Zarr v3 codec processes. Items are in row-major
// order.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/dim_vector.h"
#include "core/codec/codec.h"

namespace zarr {

// Shape and sizes of the chunk that a codec encodes.
struct Block {
    DimVector<std::uint64_t> shape;
    std::size_t item = 0;   // bytes of one item
    std::size_t count = 0;  // number of items
    std::size_t bytes = 0;

    // Returns the block of `shape` with items of `dtype`. Returns kLimit if the block has too many
    // dimensions or bytes; kCorrupt if items have no fixed size.
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
