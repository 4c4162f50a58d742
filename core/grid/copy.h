// SPDX-License-Identifier: MIT
// The only N-d copy and fill.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/axis_order.h"
#include "core/base/converter.h"
#include "core/base/dim_vector.h"

namespace zarr {

// Bytes from one element to the next along each dimension; may be negative.
using Strides = DimVector<std::ptrdiff_t>;

// The strides of a contiguous block of `shape` with elements of `size` bytes.
Strides ContiguousStrides(const DimVector<std::uint64_t>& shape, std::size_t size,
                          const AxisOrder& order);

// Applies `op` to every element of a block of `count` elements per dimension. `dst` and `src` point
// at the block's first element. Dimensions may come in any order of strides; the loop order is
// chosen to walk memory in runs. The two memories must not overlap.
void CopyBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* src, const Strides& src_strides, const Converter& op);

// The same on up to `threads` threads, where there is much to copy.
void CopyBlockOn(std::size_t threads, const DimVector<std::uint64_t>& count, std::uint8_t* dst,
                 const Strides& dst_strides, const std::uint8_t* src, const Strides& src_strides,
                 const Converter& op);

// Sets every element of a block to the result of `op` on the one element at `value`.
void FillBlock(const DimVector<std::uint64_t>& count, std::uint8_t* dst, const Strides& dst_strides,
               const std::uint8_t* value, const Converter& op);

}  // namespace zarr
