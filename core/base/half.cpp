// SPDX-License-Identifier: MIT
#include "core/base/half.h"

#include <algorithm>
#include <cmath>

#include "core/base/endian.h"

namespace zarr {

float HalfToFloat(std::uint16_t half) {
    const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
    const std::uint32_t exponent = (half >> 10) & 0x1fU;
    const std::uint32_t fraction = half & 0x3ffU;
    if (exponent == 0) {  // zero or subnormal: fraction * 2^-24
        const float magnitude = std::ldexp(static_cast<float>(fraction), -24);
        return sign != 0 ? -magnitude : magnitude;
    }
    const std::uint32_t wide_exponent = exponent == 0x1fU ? 0xffU : exponent + (127 - 15);
    const std::uint32_t bits = sign | (wide_exponent << 23) | (fraction << 13);
    return LoadNative<float>(&bits);
}

std::uint16_t FloatToHalf(float value) {
    if (!std::isnan(value)) return DoubleToHalf(static_cast<double>(value));
    // By its bits, as a conversion to double makes a signalling NaN a quiet one.
    const auto bits = LoadNative<std::uint32_t>(&value);
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7c00U |
                                      std::max((bits >> 13) & 0x3ffU, 1U));
}

std::uint16_t DoubleToHalf(double value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
    if (std::isnan(value)) {  // the top bits of the payload, of which one must be left
        const auto payload = static_cast<std::uint32_t>(LoadNative<std::uint64_t>(&value) >> 42);
        return static_cast<std::uint16_t>(sign | 0x7c00U | std::max(payload & 0x3ffU, 1U));
    }
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;  // has no exponent to go by
    if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, 0.5 <= m < 1
    // A half has 11 significant bits; below 2^-14 the last bit stays at 2^-24.
    const int last_bit = exponent - 11 < -24 ? -24 : exponent - 11;
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -last_bit)));
    if (last_bit == -24) return static_cast<std::uint16_t>(sign | steps);
    // steps is in [1024, 2048]; adding it to the exponent field carries where it rounded up.
    const auto bits = (static_cast<std::uint32_t>(last_bit + 24) << 10) + steps;
    return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace zarr
