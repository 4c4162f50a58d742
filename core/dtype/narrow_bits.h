// SPDX-License-Identifier: MIT
// Bit layouts of narrow floats such as bfloat16 and float8 (zarr-extensions, "data-types"), and
// conversion to and from the bits of a float32. Internal to narrow_types.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/dtype/data_type.h"

namespace zarr {

// Convention for the bit patterns ("codes") that represent infinities and NaN.
enum class Specials : std::uint8_t {
    kIeee,    // infinities and NaN have the largest exponent
    kFinite,  // types of 4 and 6 bits with names ending in "fn": neither infinities nor NaN
    kOneNan,  // types with names ending in "fnuz": the code of negative zero means NaN
    kTopNan,  // types of 8 bits with names ending in "fn": NaN has the largest code of either sign
};

struct FloatFormat {
    unsigned exponent_bits;
    unsigned mantissa_bits;
    int bias;
    Specials specials;

    constexpr unsigned magnitude_bits() const { return exponent_bits + mantissa_bits; }
    constexpr std::uint32_t sign() const { return 1U << magnitude_bits(); }
    constexpr std::uint32_t infinity() const {
        return ((1U << exponent_bits) - 1) << mantissa_bits;
    }
    // Returns the bit pattern of the largest finite number.
    constexpr std::uint32_t largest() const {
        if (specials == Specials::kIeee) return infinity() - 1;
        return specials == Specials::kTopNan ? sign() - 2 : sign() - 1;
    }
};

// Returns the bit layout of a narrow float. float8_e8m0fnu has no such layout: its bits are only
// the exponent of a float32.
constexpr FloatFormat LayoutOf(NarrowType type) {
    switch (type) {
        case NarrowType::kFloat4E2m1fn:
            return {2, 1, 1, Specials::kFinite};
        case NarrowType::kFloat6E2m3fn:
            return {2, 3, 1, Specials::kFinite};
        case NarrowType::kFloat6E3m2fn:
            return {3, 2, 3, Specials::kFinite};
        case NarrowType::kFloat8E3m4:
            return {3, 4, 3, Specials::kIeee};
        case NarrowType::kFloat8E4m3:
            return {4, 3, 7, Specials::kIeee};
        case NarrowType::kFloat8E4m3fn:
            return {4, 3, 7, Specials::kTopNan};
        case NarrowType::kFloat8E4m3b11fnuz:
            return {4, 3, 11, Specials::kOneNan};
        case NarrowType::kFloat8E4m3fnuz:
            return {4, 3, 8, Specials::kOneNan};
        case NarrowType::kFloat8E5m2:
            return {5, 2, 15, Specials::kIeee};
        case NarrowType::kFloat8E5m2fnuz:
            return {5, 2, 16, Specials::kOneNan};
        default:
            return {8, 7, 127, Specials::kIeee};  // bfloat16
    }
}

// Constants of the bit layout of a float32: field width, masks and special values.
inline constexpr unsigned kFloat32MantissaBits = 23;
inline constexpr std::uint32_t kFloat32ImplicitBit = 1U << kFloat32MantissaBits;
inline constexpr std::uint32_t kFloat32Sign = 0x80000000U;
inline constexpr std::uint32_t kFloat32Infinity = 0x7f800000U;
inline constexpr std::uint32_t kFloat32Nan = 0x7fc00000U;
inline constexpr int kFloat32Bias = 127;

inline constexpr std::uint8_t kE8m0Nan = 0xff;

// Returns the float32 bits of the bfloat16, float8 or similar number with the bits `code`.
template <NarrowType kType>
constexpr std::uint32_t DecodeNarrow(std::uint32_t code) {
    if constexpr (kType == NarrowType::kBfloat16) {
        return code << 16;
    } else if constexpr (kType == NarrowType::kFloat8E8m0fnu) {
        if (code == kE8m0Nan) return kFloat32Nan;
        return code == 0 ? kFloat32ImplicitBit >> 1
                         : code << kFloat32MantissaBits;  // code 0 is 2^-127, a subnormal float32
    } else {
        constexpr FloatFormat kLayout = LayoutOf(kType);
        constexpr unsigned kWiden = kFloat32MantissaBits - kLayout.mantissa_bits;
        const std::uint32_t sign = (code & kLayout.sign()) != 0 ? kFloat32Sign : 0;
        const std::uint32_t magnitude = code & (kLayout.sign() - 1);
        if (kLayout.specials == Specials::kOneNan && magnitude == 0 && sign != 0)
            return kFloat32Nan;
        if (kLayout.specials == Specials::kTopNan && magnitude > kLayout.largest())
            return sign | kFloat32Nan;
        if (kLayout.specials == Specials::kIeee && magnitude >= kLayout.infinity())
            return sign | kFloat32Infinity | ((magnitude - kLayout.infinity()) << kWiden);
        if (magnitude == 0) return sign;
        int exponent = static_cast<int>(magnitude >> kLayout.mantissa_bits);
        std::uint32_t mantissa = magnitude & ((1U << kLayout.mantissa_bits) - 1);
        if (exponent != 0)
            mantissa |= 1U << kLayout.mantissa_bits;
        else
            for (exponent = 1; (mantissa >> kLayout.mantissa_bits) == 0; --exponent) mantissa <<= 1;
        const auto biased = static_cast<std::uint32_t>(exponent - kLayout.bias + kFloat32Bias);
        return sign | (biased << kFloat32MantissaBits) |
               ((mantissa << kWiden) & (kFloat32ImplicitBit - 1));
    }
}

// Converts float32 bits to float8_e8m0fnu: the nearest power of 2. A tie goes to the larger power,
// because float8_e8m0fnu has no mantissa that could be even.
constexpr std::uint32_t EncodeE8m0(std::uint32_t bits) {
    if (bits == 0 || bits >= kFloat32Infinity) return kE8m0Nan;
    const std::uint32_t exponent = bits >> kFloat32MantissaBits;
    if (exponent != 0) return exponent + ((bits >> (kFloat32MantissaBits - 1)) & 1U);
    return bits >= (kFloat32ImplicitBit >> 2) * 3 ? 1 : 0;
}

// Returns the code of the narrow float nearest to `magnitude`, the bits of a finite float32 without
// sign. A result above layout.largest() means overflow.
constexpr std::uint32_t RoundedCode(const FloatFormat& layout, std::uint32_t magnitude) {
    const unsigned narrowing = kFloat32MantissaBits - layout.mantissa_bits;
    const int least = 1 - layout.bias;
    const auto biased = static_cast<int>(magnitude >> kFloat32MantissaBits);
    const int exponent = biased == 0 ? 1 - kFloat32Bias : biased - kFloat32Bias;
    const std::uint32_t significand =
        (magnitude & (kFloat32ImplicitBit - 1)) | (biased == 0 ? 0 : kFloat32ImplicitBit);
    const int steps_below = exponent < least ? least - exponent : 0;
    // A shift by 25 bits or more leaves 0 and rounds nothing up, so the shift is limited to 25
    // bits.
    const unsigned shift = std::min(narrowing + static_cast<unsigned>(steps_below), 25U);
    const std::uint32_t odd = (significand >> shift) & 1U;
    const std::uint32_t rounded = (significand + (1U << (shift - 1)) - 1 + odd) >> shift;
    // Exponents count from the least one, so that a mantissa rounded up to the next power of 2
    // carries into the exponent in the sum below.
    const int above = exponent + steps_below - least;
    if (above > 1 << layout.exponent_bits) return layout.largest() + 1;
    return (static_cast<std::uint32_t>(above) << layout.mantissa_bits) + rounded;
}

// Returns the code of NaN in a narrow float type for the float32 NaN with the bits `bits`.
constexpr std::uint32_t NanCode(const FloatFormat& layout, std::uint32_t bits) {
    const std::uint32_t sign = (bits & kFloat32Sign) != 0 ? layout.sign() : 0;
    if (layout.specials == Specials::kOneNan) return layout.sign();
    if (layout.specials == Specials::kTopNan) return sign | (layout.sign() - 1);
    if (layout.specials == Specials::kFinite) return sign ^ layout.sign();
    // Keep the top bits of the NaN's payload, and set at least one bit, because infinity has none.
    const std::uint32_t payload =
        (bits & (kFloat32ImplicitBit - 1)) >> (kFloat32MantissaBits - layout.mantissa_bits);
    return sign | layout.infinity() | (payload != 0 ? payload : 1U);
}

// Returns the code of the narrow float (bfloat16, float8 or similar) nearest to the float32 with
// the bits `bits`.
template <NarrowType kType>
constexpr std::uint32_t EncodeNarrow(std::uint32_t bits) {
    if constexpr (kType == NarrowType::kFloat8E8m0fnu) {
        return EncodeE8m0(bits);
    } else {
        constexpr FloatFormat kLayout = LayoutOf(kType);
        const std::uint32_t magnitude = bits & ~kFloat32Sign;
        if (magnitude > kFloat32Infinity) return NanCode(kLayout, bits);
        const std::uint32_t sign = (bits & kFloat32Sign) != 0 ? kLayout.sign() : 0;
        const std::uint32_t code =
            magnitude == kFloat32Infinity ? kLayout.largest() + 1 : RoundedCode(kLayout, magnitude);
        if (code <= kLayout.largest())
            return code == 0 && kLayout.specials == Specials::kOneNan ? 0 : sign | code;
        if (kLayout.specials == Specials::kOneNan) return kLayout.sign();
        if (kLayout.specials == Specials::kTopNan) return sign | (kLayout.sign() - 1);
        const bool has_infinity = kLayout.specials == Specials::kIeee;
        return sign | (has_infinity ? kLayout.infinity() : kLayout.largest());
    }
}

}  // namespace zarr
