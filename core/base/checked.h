// SPDX-License-Identifier: MIT
// Arithmetic on sizes and counts from files. Overflow is reported and never wraps.
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

// Return a * b, a + b and a - b for signed numbers; nullopt if the result overflows.
inline std::optional<std::int64_t> MultiplyChecked(std::int64_t a, std::int64_t b) {
    constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();
    // Division truncates towards zero, so a * b exceeds a limit exactly if `a` exceeds the limit
    // divided by `b`.
    bool fits = true;
    if (b > 0) fits = a >= kMin / b && a <= kMax / b;
    if (b == -1) fits = a != kMin;
    if (b < -1) fits = a <= kMin / b && a >= kMax / b;
    if (!fits) return std::nullopt;
    return a * b;
}

inline std::optional<std::int64_t> AddChecked(std::int64_t a, std::int64_t b) {
    if (b > 0 && a > std::numeric_limits<std::int64_t>::max() - b) return std::nullopt;
    if (b < 0 && a < std::numeric_limits<std::int64_t>::min() - b) return std::nullopt;
    return a + b;
}

inline std::optional<std::int64_t> SubtractChecked(std::int64_t a, std::int64_t b) {
    if (b > 0 && a < std::numeric_limits<std::int64_t>::min() + b) return std::nullopt;
    if (b < 0 && a > std::numeric_limits<std::int64_t>::max() + b) return std::nullopt;
    return a - b;
}

// Quotient floor(a / b), and remainder from 0 to b - 1, for a positive `b`.
struct Quotient {
    std::int64_t quotient;
    std::int64_t rest;
};
constexpr Quotient FloorDivide(std::int64_t a, std::int64_t b) {
    const std::int64_t rest = a % b;
    return rest < 0 ? Quotient{a / b - 1, rest + b} : Quotient{a / b, rest};
}

}  // namespace zarr
