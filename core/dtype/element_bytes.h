// SPDX-License-Identifier: MIT
// Converts numbers to the bytes of one element in the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr {

// Returns the low `size` bytes of an integer. `size` is 1, 2, 4 or 8.
std::string IntegerBytes(std::size_t size, std::uint64_t number);

// Returns the bytes of a float of `size` bytes (2, 4 or 8), rounded to nearest. Overflow gives
// infinity.
std::string FloatBytes(std::size_t size, double number);

// Returns the bytes of a number of a bfloat16, float8 or similar type, rounded as by
// DoubleToNarrow().
std::string NarrowBytes(NarrowType type, double number);

}  // namespace zarr
