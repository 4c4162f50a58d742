// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace zarr {

// Conversion of elements between two buffers: copy, byte swap or type conversion. Chosen once per
// read and applied to rows, so that no element needs a type check. Copyable; does not own
// `context`.
struct Converter {
    // Converts `count` elements. Strides are in bytes and may be negative or zero.
    using Row = void (*)(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                         const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    Row row = nullptr;
    std::size_t dst_size = 0;       // bytes per destination element
    std::size_t src_size = 0;       // bytes per source element
    std::size_t unit = 1;           // bytes that are swapped as one number
    const void* context = nullptr;  // for `row`; not owned
    bool is_copy = false;           // true if the bytes are unchanged
    void (*finish)() = nullptr;     // call after the last row, on one and the same thread
};

// Returns the converter that copies elements of `size` bytes.
Converter CopyConverter(std::size_t size);

// Like CopyConverter(), for results larger than the processor's caches; see StreamedCopy().
Converter StreamedCopyConverter(std::size_t size);

// Returns the converter that reverses each `unit` bytes within elements of `size` bytes.
Converter SwapConverter(std::size_t size, std::size_t unit);

// Like memcpy(), for results larger than the processor's caches. Uses stores that bypass the caches
// (SSE2), which saves reading each destination line first. Call EndStreamedCopies() before another
// thread reads the result.
void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size);
void EndStreamedCopies();

// Conversions from and to IEEE 754 binary16 ("half"), for which C++17 has no type.

// Converts exactly: every half is a float. A NaN keeps its sign and the top bits of its payload.
float HalfToFloat(std::uint16_t half);

// Rounds to nearest, ties to even. Overflow gives infinity. A NaN keeps its sign and the top bits
// of its payload.
std::uint16_t FloatToHalf(float value);

// Like FloatToHalf(), for a double. Rounds only once.
std::uint16_t DoubleToHalf(double value);

}  // namespace zarr
