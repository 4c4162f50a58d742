// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/base/row_converter.h"

namespace zarr {
namespace {

constexpr std::uint16_t kInfinity = 0x7c00;

// Value of a finite float16, computed by the definition of IEEE 754 binary16.
double ByDefinition(unsigned half) {
    const int exponent = static_cast<int>((half >> 10) & 31U);
    const double fraction = static_cast<double>(half & 1023U) / 1024;
    const double magnitude =
        exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    return (half & 0x8000U) != 0 ? -magnitude : magnitude;
}

bool IsFinite(unsigned half) { return (half & kInfinity) != kInfinity; }

TEST(Half, KnownValues) {
    EXPECT_EQ(HalfToFloat(0x3c00), 1.0F);
    EXPECT_EQ(HalfToFloat(0xc000), -2.0F);
    EXPECT_EQ(HalfToFloat(0x7bff), 65504.0F);
    EXPECT_EQ(HalfToFloat(0x0400), 6.103515625e-05F);
    EXPECT_EQ(HalfToFloat(0x0001), 5.9604644775390625e-08F);
    EXPECT_EQ(HalfToFloat(0x3555), 0.333251953125F);
    EXPECT_EQ(HalfToFloat(0x7c00), std::numeric_limits<float>::infinity());
    EXPECT_EQ(HalfToFloat(0xfc00), -std::numeric_limits<float>::infinity());
    EXPECT_TRUE(std::isnan(HalfToFloat(0x7e00)));
    EXPECT_TRUE(std::signbit(HalfToFloat(0x8000)));
    EXPECT_EQ(FloatToHalf(0.1F), 0x2e66);
    EXPECT_EQ(FloatToHalf(-273.15F), 0xdc45);
    EXPECT_EQ(DoubleToHalf(3.141592653589793), 0x4248);
}

TEST(Half, EveryFiniteHalfHasTheValueOfTheFormat) {
    for (unsigned half = 0; half <= 0xffff; ++half) {
        if (!IsFinite(half)) continue;
        const float value = HalfToFloat(static_cast<std::uint16_t>(half));
        ASSERT_EQ(static_cast<double>(value), ByDefinition(half)) << half;
        ASSERT_EQ(std::signbit(value), (half & 0x8000U) != 0) << half;
    }
}

TEST(Half, EveryHalfSurvivesTheRoundTrip) {
    for (unsigned half = 0; half <= 0xffff; ++half) {
        const float value = HalfToFloat(static_cast<std::uint16_t>(half));
        ASSERT_EQ(FloatToHalf(value), half);
        if (std::isnan(value)) continue;
        ASSERT_EQ(DoubleToHalf(static_cast<double>(value)), half);
    }
}

TEST(Half, NaNsStayNaNs) {
    for (const double sign : {1.0, -1.0}) {
        const double nan = std::copysign(std::numeric_limits<double>::quiet_NaN(), sign);
        const std::uint16_t half = DoubleToHalf(nan);
        EXPECT_EQ(half, sign < 0 ? 0xfe00 : 0x7e00);
        EXPECT_EQ(FloatToHalf(static_cast<float>(nan)), half);
    }
}

// A number between two neighbouring float16 values rounds to the nearer one. The middle rounds to
// the float16 with an even code.
TEST(Half, RoundsToNearestTiesToEven) {
    for (unsigned low = 0; low < 0x7bff; ++low) {
        const double a = ByDefinition(low);
        const double b = ByDefinition(low + 1);
        const double middle = (a + b) / 2;
        const unsigned even = low % 2 == 0 ? low : low + 1;
        ASSERT_EQ(DoubleToHalf(middle), even) << low;
        ASSERT_EQ(DoubleToHalf(-middle), even | 0x8000U) << low;
        ASSERT_EQ(DoubleToHalf(std::nextafter(middle, a)), low);
        ASSERT_EQ(DoubleToHalf(std::nextafter(middle, b)), low + 1);
        const auto single = static_cast<float>(middle);  // float32 represents the middle exactly
        ASSERT_EQ(FloatToHalf(single), even) << low;
        ASSERT_EQ(FloatToHalf(std::nextafter(single, 0.0F)), low);
        ASSERT_EQ(FloatToHalf(std::nextafter(single, 1e9F)), low + 1);
    }
}

TEST(Half, OverflowsToInfinityAndUnderflowsToZero) {
    EXPECT_EQ(DoubleToHalf(std::nextafter(65520.0, 0.0)), 0x7bff);
    EXPECT_EQ(DoubleToHalf(65520.0), kInfinity);
    EXPECT_EQ(DoubleToHalf(-1e300), kInfinity | 0x8000);
    EXPECT_EQ(FloatToHalf(std::numeric_limits<float>::max()), kInfinity);
    const double tiniest = std::ldexp(1.0, -24);
    EXPECT_EQ(DoubleToHalf(tiniest / 2), 0);
    EXPECT_EQ(DoubleToHalf(std::nextafter(tiniest / 2, 1.0)), 1);
    EXPECT_EQ(DoubleToHalf(-std::numeric_limits<double>::denorm_min()), 0x8000);
}

}  // namespace
}  // namespace zarr
