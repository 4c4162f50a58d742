// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

namespace zarr {

// Function that converts elements from one buffer to another by copying, swapping bytes or
// converting the type. A read chooses its converter once and applies the converter to whole rows,
// so that no element needs a type check. Copyable; does not own `context`.
struct Converter {
    // Converts a row of `count` elements from `src` to `dst`. Strides are in bytes and may be
    // negative or zero.
    using Row = void (*)(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                         const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count);

    Row row = nullptr;
    std::size_t dst_size = 0;       // bytes per destination element
    std::size_t src_size = 0;       // bytes per source element
    std::size_t unit = 1;           // size in bytes of the numbers whose bytes are swapped
    const void* context = nullptr;  // data that `row` uses; not owned
    bool is_copy = false;           // true if `row` copies bytes unchanged
    void (*finish)() = nullptr;     // if set, each thread calls it after its last row
};

// Returns the converter that copies elements of `size` bytes.
Converter CopyConverter(std::size_t size);

// Returns the converter that copies elements of `size` bytes with StreamedCopy(). Faster than
// CopyConverter() if the result is larger than the processor's caches.
Converter StreamedCopyConverter(std::size_t size);

// Returns the converter that reverses byte order. An element has `size` bytes and consists of
// numbers of `unit` bytes, whose bytes are reversed.
Converter SwapConverter(std::size_t size, std::size_t unit);

// Copies like memcpy(), but with stores that bypass the processor's caches (SSE2). Faster for
// results larger than the caches, because the processor does not read the destination before it
// overwrites it. The copying thread must call EndStreamedCopies() before another thread reads the
// result.
void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size);
void EndStreamedCopies();

// The functions below convert from and to IEEE 754 binary16 ("half"), for which C++17 has no type.

// Returns the float with exactly the value of `half`: every half is a float. A NaN keeps its sign
// and the top bits of its payload.
float HalfToFloat(std::uint16_t half);

// Returns the half nearest to `value`; ties go to even. Overflow gives infinity. A NaN keeps its
// sign and the top bits of its payload.
std::uint16_t FloatToHalf(float value);

// Returns the half nearest to `value`, with the rules of FloatToHalf(). Rounds only once: a detour
// through float would round twice.
std::uint16_t DoubleToHalf(double value);

}  // namespace zarr
