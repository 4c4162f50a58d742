// SPDX-License-Identifier: MIT
#include "core/base/memory.h"

#include <cstdlib>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace zarr {

namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;  // of most processors

}  // namespace

std::uint8_t* AllocateBytes(std::size_t size) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
    if (size >= kLargePage / 2 && size <= SIZE_MAX - kLargePage) {
        const std::size_t whole = (size + kLargePage - 1) / kLargePage * kLargePage;
        // The last page, where little of it would be wasted.
        const std::size_t large = whole - size <= size / 8 ? whole : whole - kLargePage;
        if (large != 0) {
            void* memory = std::aligned_alloc(kLargePage, whole);
            if (memory != nullptr) madvise(memory, large, MADV_HUGEPAGE);  // a hint
            return static_cast<std::uint8_t*>(memory);
        }
    }
#endif
    return static_cast<std::uint8_t*>(std::malloc(size));
}

}  // namespace zarr
