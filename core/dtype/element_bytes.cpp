// SPDX-License-Identifier: MIT
#include "core/dtype/element_bytes.h"

#include <cmath>
#include <limits>

#include "core/base/endian.h"
#include "core/base/row_converter.h"
#include "core/dtype/narrow_types.h"

namespace zarr {

namespace {

template <class T>
std::string BytesOf(T value) {
    std::string bytes(sizeof value, '\0');
    StoreNative(bytes.data(), value);
    return bytes;
}

// Limits `number` to float's range as NumPy does, because C++ leaves an overflowing conversion
// undefined. Numbers up to half a step above the largest float become the largest float.
double WithinFloat(double number) {
    constexpr double kMax = std::numeric_limits<float>::max();
    constexpr double kHalfway = 0x1.ffffffp127;
    if (!(std::fabs(number) > kMax)) return number;
    return std::copysign(
        std::fabs(number) < kHalfway ? kMax : std::numeric_limits<double>::infinity(), number);
}

}  // namespace

std::string IntegerBytes(std::size_t size, std::uint64_t number) {
    switch (size) {
        case 1:
            return BytesOf(static_cast<std::uint8_t>(number));
        case 2:
            return BytesOf(static_cast<std::uint16_t>(number));
        case 4:
            return BytesOf(static_cast<std::uint32_t>(number));
        default:
            return BytesOf(number);
    }
}

std::string FloatBytes(std::size_t size, double number) {
    switch (size) {
        case 2:
            return BytesOf(DoubleToHalf(number));
        case 4:
            return BytesOf(static_cast<float>(WithinFloat(number)));
        default:
            return BytesOf(number);
    }
}

std::string NarrowBytes(NarrowType type, double number) {
    return IntegerBytes((FormatOf(type).bits + 7) / 8, DoubleToNarrow(type, number));
}

}  // namespace zarr
