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
    if (size >= kLargePage && size <= SIZE_MAX - kLargePage) {
        const std::size_t pages = (size + kLargePage - 1) / kLargePage;
        void* memory = std::aligned_alloc(kLargePage, pages * kLargePage);
        // A hint, and not for the last page where that would not be filled.
        if (memory != nullptr) madvise(memory, size / kLargePage * kLargePage, MADV_HUGEPAGE);
        return static_cast<std::uint8_t*>(memory);
    }
#endif
    return static_cast<std::uint8_t*>(std::malloc(size));
}

}  // namespace zarr
