// SPDX-License-Identifier: MIT
// Copies and fills n-dimensional blocks. No other functions do so.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/axis_order.h"
#include "core/base/converter.h"
#include "core/base/dim_vector.h"

namespace zarr {

// Distances in bytes between neighbouring elements, one per dimension; may be negative.
using Strides = DimVector<std::ptrdiff_t>;

// Returns the strides of a contiguous block of `shape` whose elements have `size` bytes.
Strides ContiguousStrides(const DimVector<std::uint64_t>& shape, std::size_t size,
                          const AxisOrder& order);

// Converts a block of `count` elements per dimension from `src` to `dst` with `op`. `dst` and `src`
// point at the block's first element. Strides may have any order: the loops are arranged for long
// contiguous runs. Source and destination must not overlap.
void CopyBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* src, const Strides& src_strides, const Converter& op);

// Converts a block as CopyBlock() does, but on up to `threads` threads if the block is large.
void CopyBlockOn(std::size_t threads, const DimVector<std::uint64_t>& count, std::uint8_t* dst,
                 const Strides& dst_strides, const std::uint8_t* src, const Strides& src_strides,
                 const Converter& op);

// Sets every element of a block to the element at `value`, converted with `op`.
void FillBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* value, const Converter& op);

}  // namespace zarr
