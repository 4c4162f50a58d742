// SPDX-License-Identifier: MIT
// The only functions of the core that copy and fill n-dimensional blocks of elements.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/axis_order.h"
#include "core/base/dim_vector.h"
#include "core/base/row_converter.h"

namespace zarr {

// Distances in bytes between neighbouring elements, one per dimension; may be negative.
using Strides = DimVector<std::ptrdiff_t>;

// Returns the strides of a contiguous block of `shape` whose elements have `size` bytes.
Strides ContiguousStrides(const DimVector<std::uint64_t>& shape, std::size_t size,
                          const AxisOrder& order);

// Copies a block of `count` elements per dimension from `src` to `dst`, and converts each element
// with `op`. `dst` and `src` point at the block's first element. Strides may have any order and
// sign. Source and destination must not overlap.
void CopyBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* src, const Strides& src_strides, const Converter& op);

// Does the work of CopyBlock() on up to `threads` threads if the block is large.
void CopyBlockOn(std::size_t threads, const DimVector<std::uint64_t>& count, std::uint8_t* dst,
                 const Strides& dst_strides, const std::uint8_t* src, const Strides& src_strides,
                 const Converter& op);

// Sets every element of a block to the element that `value` points at, converted with `op`.
void FillBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* value, const Converter& op);

}  // namespace zarr
