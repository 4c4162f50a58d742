// SPDX-License-Identifier: MIT
#include "core/base/streamed_copy.h"

#include <cstring>

// Every x86-64 has SSE2. ThreadSanitizer does not see such writes.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define __SANITIZE_THREAD__ 1  // as GCC says it
#endif
#endif
#if (defined(__x86_64__) || defined(_M_X64)) && !defined(__SANITIZE_THREAD__)
#define ZARR_STREAMS 1
#include <emmintrin.h>
#else
#define ZARR_STREAMS 0
#endif

namespace zarr {

#if ZARR_STREAMS

void StreamedCopy(std::uint8_t* dst, const std::uint8_t* src, std::size_t size) {
    constexpr std::size_t kLine = 64;
    if (size < 4 * kLine) {
        std::memcpy(dst, src, size);
        return;
    }
    // Lines that are written whole.
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

}  // namespace zarr
