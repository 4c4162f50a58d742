// SPDX-License-Identifier: MIT
#include "core/codec/codec.h"

#include <limits>

namespace zarr {

std::size_t SaturatingAdd(std::size_t a, std::size_t b) {
    const std::size_t max = std::numeric_limits<std::size_t>::max();
    return a > max - b ? max : a + b;
}

std::size_t SaturatingMul(std::size_t a, std::size_t b) {
    const std::size_t max = std::numeric_limits<std::size_t>::max();
    return b != 0 && a > max / b ? max : a * b;
}

SizeBound CompressedBound(SizeBound decoded) {
    return {SaturatingAdd(SaturatingAdd(decoded.max, decoded.max / 8), 1024), false};
}

}  // namespace zarr
