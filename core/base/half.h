// SPDX-License-Identifier: MIT
// IEEE 754 binary16, which C++17 has no type for.
#pragma once

#include <cstdint>

namespace zarr {

// Exact: every half is a float; a NaN keeps its sign and the top bits of its payload.
float HalfToFloat(std::uint16_t half);

// Rounds to nearest, ties to even; overflow gives infinity; a NaN keeps its sign and the top bits
// of its payload.
std::uint16_t FloatToHalf(float value);

// The same from a double, rounded once.
std::uint16_t DoubleToHalf(double value);

}  // namespace zarr
