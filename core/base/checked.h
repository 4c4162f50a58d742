// SPDX-License-Identifier: MIT
// Arithmetic on sizes from files. Overflow is reported and never wraps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

namespace zarr {

inline std::optional<std::uint64_t> CheckedMul(std::uint64_t a, std::uint64_t b) {
    if (a != 0 && b > std::numeric_limits<std::uint64_t>::max() / a) return std::nullopt;
    return a * b;
}

inline std::optional<std::uint64_t> CheckedAdd(std::uint64_t a, std::uint64_t b) {
    if (b > std::numeric_limits<std::uint64_t>::max() - a) return std::nullopt;
    return a + b;
}

// Add and multiply; an overflow gives the largest std::uint64_t. Used to compute upper bounds of
// sizes.
inline std::uint64_t SaturatingAdd(std::uint64_t a, std::uint64_t b) {
    return CheckedAdd(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}
inline std::uint64_t SaturatingMul(std::uint64_t a, std::uint64_t b) {
    return CheckedMul(a, b).value_or(std::numeric_limits<std::uint64_t>::max());
}

// Returns ceil(a / b) for b > 0. Cannot overflow, unlike the expression (a + b - 1) / b.
inline constexpr std::uint64_t CeilDiv(std::uint64_t a, std::uint64_t b) {
    return a / b + (a % b != 0 ? 1 : 0);
}

}  // namespace zarr
