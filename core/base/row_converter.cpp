// SPDX-License-Identifier: MIT
#include "core/base/row_converter.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/endian.h"
#include "core/base/sanitizers.h"

// Streamed copies use SSE2, which every x86-64 processor has. Builds with ThreadSanitizer copy with
// memcpy(), because ThreadSanitizer does not track stores that bypass the caches.
#if (defined(__x86_64__) || defined(_M_X64)) && !ZARR_THREAD_SANITIZER
#define ZARR_STREAMS 1
#include <emmintrin.h>
#else
#define ZARR_STREAMS 0
#endif

namespace zarr {

namespace {

template <std::size_t kSize>
void CopyFixed(std::uint8_t* dst, std::ptrdiff_t dst_stride, const std::uint8_t* src,
               std::ptrdiff_t src_stride, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        std::memcpy(dst, src, kSize);
}

void CopyRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (dst_stride == size && src_stride == size) {
        if (count != 0 && size != 0) std::memcpy(dst, src, count * op.dst_size);
        return;
    }
    switch (op.dst_size) {
        case 1:
            return CopyFixed<1>(dst, dst_stride, src, src_stride, count);
        case 2:
            return CopyFixed<2>(dst, dst_stride, src, src_stride, count);
        case 4:
            return CopyFixed<4>(dst, dst_stride, src, src_stride, count);
        case 8:
            return CopyFixed<8>(dst, dst_stride, src, src_stride, count);
        case 16:
            return CopyFixed<16>(dst, dst_stride, src, src_stride, count);
        default:
            for (std::size_t i = 0; size != 0 && i < count;
                 ++i, dst += dst_stride, src += src_stride)
                std::memcpy(dst, src, op.dst_size);
    }
}

void StreamedRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
                 const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (dst_stride == size && src_stride == size && count != 0 && size != 0)
        return StreamedCopy(dst, src, count * op.dst_size);
    CopyRow(op, dst, dst_stride, src, src_stride, count);
}

void SwapRow(const Converter& op, std::uint8_t* dst, std::ptrdiff_t dst_stride,
             const std::uint8_t* src, std::ptrdiff_t src_stride, std::size_t count) {
    const auto unit = static_cast<std::ptrdiff_t>(op.unit);
    const auto size = static_cast<std::ptrdiff_t>(op.dst_size);
    if (size == unit) return CopySwapped(dst, dst_stride, src, src_stride, op.unit, count);
    const std::size_t units = op.dst_size / op.unit;
    if (dst_stride == size && src_stride == size)
        return CopySwapped(dst, unit, src, unit, op.unit, count * units);
    for (std::size_t i = 0; i < count; ++i, dst += dst_stride, src += src_stride)
        CopySwapped(dst, unit, src, unit, op.unit, units);
}

}  // namespace

Converter CopyConverter(std::size_t size) {
    Converter op;
    op.row = CopyRow;
    op.dst_size = op.src_size = size;
    op.is_copy = true;
    return op;
}

Converter StreamedCopyConverter(std::size_t size) {
    Converter op = CopyConverter(size);
    op.row = StreamedRow;
    op.finish = EndStreamedCopies;
    return op;
}

Converter SwapConverter(std::size_t size, std::size_t unit) {
    Converter op = CopyConverter(size);
    op.row = SwapRow;
    op.unit = unit;
    op.is_copy = false;
    return op;
}

#if ZARR_STREAMS

void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size) {
    constexpr std::size_t kLine = 64;
    if (size < 4 * kLine) {
        std::memcpy(dst, src, size);
        return;
    }
    // Copy bytes up to the next cache line first: only stores that fill whole cache lines are fast.
    const std::size_t head = (kLine - reinterpret_cast<std::uintptr_t>(dst) % kLine) % kLine;
    std::memcpy(dst, src, head);
    std::size_t i = head;
    for (; i + kLine <= size; i += kLine) {
        const auto* from = reinterpret_cast<const __m128i*>(src + i);
        auto* to = reinterpret_cast<__m128i*>(dst + i);
        const __m128i a = _mm_loadu_si128(from);
        const __m128i b = _mm_loadu_si128(from + 1);
        const __m128i c = _mm_loadu_si128(from + 2);
        const __m128i d = _mm_loadu_si128(from + 3);
        _mm_stream_si128(to, a);
        _mm_stream_si128(to + 1, b);
        _mm_stream_si128(to + 2, c);
        _mm_stream_si128(to + 3, d);
    }
    std::memcpy(dst + i, src + i, size - i);
}

void EndStreamedCopies() { _mm_sfence(); }

#else

void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size) {
    std::memcpy(dst, src, size);
}

void EndStreamedCopies() {}

#endif

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
    // Take the bits of the NaN directly: a conversion to double would turn a signalling NaN into a
    // quiet NaN.
    const auto bits = LoadNative<std::uint32_t>(&value);
    return static_cast<std::uint16_t>(((bits >> 16) & 0x8000U) | 0x7c00U |
                                      std::max((bits >> 13) & 0x3ffU, 1U));
}

std::uint16_t DoubleToHalf(double value) {
    const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
    if (std::isnan(value)) {  // keep the top payload bits of a NaN; if all are 0, set one
        const auto payload = static_cast<std::uint32_t>(LoadNative<std::uint64_t>(&value) >> 42);
        return static_cast<std::uint16_t>(sign | 0x7c00U | std::max(payload & 0x3ffU, 1U));
    }
    const double magnitude = std::fabs(value);
    if (magnitude == 0) return sign;  // the code below needs a number that is not 0
    if (magnitude >= 65520.0) return static_cast<std::uint16_t>(sign | 0x7c00U);
    int exponent = 0;
    std::frexp(magnitude, &exponent);  // magnitude = m * 2^exponent, 0.5 <= m < 1
    // A half has 11 significant bits; `last_bit` is the exponent of the lowest of them. Halves
    // below 2^-14 are subnormal, and their lowest bit always has the exponent -24.
    const int last_bit = exponent - 11 < -24 ? -24 : exponent - 11;
    const auto steps = static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, -last_bit)));
    if (last_bit == -24) return static_cast<std::uint16_t>(sign | steps);
    // `steps` is in [1024, 2048]. If rounding gave 2048, the addition carries into the exponent
    // field, which is the correct result.
    const auto bits = (static_cast<std::uint32_t>(last_bit + 24) << 10) + steps;
    return static_cast<std::uint16_t>(sign | bits);
}

}  // namespace zarr
