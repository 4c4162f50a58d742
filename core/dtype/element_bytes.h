// SPDX-License-Identifier: MIT
// One number as the bytes of an element in the host's byte order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr {

// An integer of 1, 2, 4 or 8 bytes: the low ones of `number`.
std::string IntegerBytes(std::size_t size, std::uint64_t number);

// A float of 2, 4 or 8 bytes, rounded to the nearest; what is too large for it is infinity.
std::string FloatBytes(std::size_t size, double number);

// The same of a narrow type, rounded as DoubleToNarrow() does.
std::string NarrowBytes(NarrowType type, double number);

}  // namespace zarr
