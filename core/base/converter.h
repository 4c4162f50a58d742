// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace zarr {

// How one element gets from a source to a destination: copied, byte-swapped, widened. Made once per
// read, applied to rows, so that no type is looked at per element. Copyable; borrows `context`.
struct Converter {
    // Converts `count` elements; strides are in bytes and may be negative or zero.
    using Row = void (*)(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                         const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    Row row = nullptr;
    std::size_t dst_size = 0;       // bytes of an element in the destination
    std::size_t src_size = 0;       // and in the source
    std::size_t unit = 1;           // bytes that are swapped together
    const void* context = nullptr;  // of `row`
    bool is_copy = false;           // the bytes stay as they are
    void (*finish)() = nullptr;     // to be called after the last row, on the same thread
};

// The op that copies elements of `size` bytes.
Converter CopyConverter(std::size_t size);

// The same, for results that are larger than the processor's caches.
Converter StreamedCopyConverter(std::size_t size);

// The op that reverses each `unit` bytes of elements of `size` bytes.
Converter SwapConverter(std::size_t size, std::size_t unit);

// memcpy() for results that are larger than the processor's caches: where the processor can, they
// are written past those, which saves reading each line of the destination first. Call
// EndStreamedCopies() before another thread is told of them.
void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size);
void EndStreamedCopies();

// IEEE 754 binary16, which C++17 has no type for.

// Exact: every half is a float; a NaN keeps its sign and the top bits of its payload.
float HalfToFloat(std::uint16_t half);

// Rounds to nearest, ties to even; overflow gives infinity; a NaN keeps its sign and the top bits
// of its payload.
std::uint16_t FloatToHalf(float value);

// The same from a double, rounded once.
std::uint16_t DoubleToHalf(double value);

}  // namespace zarr
