// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/base/bytes.h"
#include "core/base/sanitizers.h"

namespace zarr {
namespace {

constexpr std::size_t kLargePage = std::size_t{2} << 20;

struct Free {
    std::size_t size;
    void operator()(std::uint8_t* memory) const { FreeBytes(memory, size); }
};
using Memory = std::unique_ptr<std::uint8_t[], Free>;

Memory Allocate(std::size_t size) { return {AllocateBytes(size), Free{size}}; }

bool IsAligned(const std::uint8_t* memory, std::size_t alignment) {
    return reinterpret_cast<std::uintptr_t>(memory) % alignment == 0;
}

class AllocateBytesOf : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Sizes, AllocateBytesOf,
                         testing::Values(1, 7, 64, 4096, 65536, 300001, kLargePage - 1, kLargePage,
                                         kLargePage + 1, 2 * kLargePage - 1, 2 * kLargePage,
                                         5 * kLargePage + 77));

// Writes every byte of the memory, so that a sanitizer reports an allocation that is too small.
TEST_P(AllocateBytesOf, GivesWritableMemory) {
    const std::size_t size = GetParam();
    for (int round = 0; round < 3; ++round) {  // later rounds may reuse freed memory
        const Memory memory = Allocate(size);
        ASSERT_NE(memory, nullptr);
        EXPECT_TRUE(IsAligned(memory.get(), alignof(std::max_align_t)));
        std::memset(memory.get(), 0x5a, size);
        EXPECT_EQ(memory[0], 0x5a);
        EXPECT_EQ(memory[size - 1], 0x5a);
    }
}

TEST_P(AllocateBytesOf, GivesDistinctMemory) {
    const std::size_t size = GetParam();
    const Memory a = Allocate(size);
    const Memory b = Allocate(size);
    ASSERT_NE(a, nullptr);
    ASSERT_NE(b, nullptr);
    std::memset(a.get(), 1, size);
    std::memset(b.get(), 2, size);
    EXPECT_EQ(a[size - 1], 1);
    EXPECT_EQ(a[0], 1);
}

#if defined(__linux__)
// Memory of a large size must begin at a large page of the system. AddressSanitizer replaces the
// allocator, so the test does nothing with it.
TEST(AllocateBytes, BeginsLargeSizesAtALargePage) {
    if (kHasAddressSanitizer) return;
    for (const std::size_t size : {kLargePage, kLargePage + 1, 3 * kLargePage}) {
        const Memory memory = Allocate(size);
        EXPECT_TRUE(IsAligned(memory.get(), kLargePage)) << size;
    }
}
#endif

// The kernel copies file data slowly to an address 1 to 31 bytes after the start of a page. Large
// memory must not begin there.
TEST(AllocateBytes, PutsLargeSizesWhereFilesAreCopiedToQuickly) {
    if (kHasAddressSanitizer) return;
    constexpr std::size_t kPage = 4096;
    std::vector<Memory> held;
    for (std::size_t size = std::size_t{64} << 10; size < 2 * kLargePage; size += 50021) {
        held.push_back(Allocate(size));
        ASSERT_NE(held.back(), nullptr);
        const std::size_t place = reinterpret_cast<std::uintptr_t>(held.back().get()) % kPage;
        EXPECT_TRUE(place == 0 || place >= 32) << size << ": " << place;
        EXPECT_TRUE(IsAligned(held.back().get(), 64)) << size;
    }
}

TEST(AllocateBytes, OfZeroBytesCanBeFreed) {
    FreeBytes(AllocateBytes(0), 0);
    FreeBytes(AllocateBytes(0), 0);
}

// A size near the maximum must not overflow to a small size that can be allocated.
TEST(AllocateBytes, ReturnsNullIfThereIsTooLittle) {
    for (const std::size_t size :
         {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - kLargePage + 1, SIZE_MAX - kLargePage,
          SIZE_MAX - kLargePage - 1, SIZE_MAX - 2 * kLargePage, SIZE_MAX / 2 + 1, SIZE_MAX / 4})
        EXPECT_EQ(AllocateBytes(size), nullptr) << size;
}

// Small memory comes from the C library, large memory consists of large pages. A buffer that grows
// from small to large must keep its contents.
TEST(AllocateBytes, GivesBuffersMemoryThatGrows) {
    Buffer buffer;
    std::size_t before = 0;
    for (const std::size_t size :
         {kLargePage / 2, kLargePage - 1, kLargePage, kLargePage + 1, 4 * kLargePage + 5}) {
        ASSERT_TRUE(test::Succeeds(buffer.Resize(size)));
        for (std::size_t i = 0; i < before; i += 997)
            ASSERT_EQ(buffer.data()[i], static_cast<std::uint8_t>(i / 997)) << i << " of " << size;
        for (std::size_t i = 0; i < size; i += 997)
            buffer.data()[i] = static_cast<std::uint8_t>(i / 997);
        before = size;
    }
}

#if defined(__linux__) && !defined(__SANITIZE_ADDRESS__)
std::size_t ResidentPages() {
    std::ifstream numbers("/proc/self/statm");
    std::size_t all = 0;
    std::size_t resident = 0;
    numbers >> all >> resident;
    return resident;
}

// Threads that decode chunks leave small blocks allocated between large ones. The small blocks must
// not keep freed large blocks from returning to the system.
TEST(AllocateBytes, OfLargeSizesIsReturnedToTheSystem) {
    constexpr std::size_t kEncoded = 9U << 20;
    constexpr std::size_t kDecoded = 16U << 20;
    const std::size_t before = ResidentPages();
    std::vector<Memory> kept;
    for (int round = 0; round < 64; ++round) {
        Memory encoded = Allocate(kEncoded);
        Memory decoded = Allocate(kDecoded);
        ASSERT_TRUE(encoded != nullptr && decoded != nullptr);
        std::memset(encoded.get(), 1, kEncoded);
        std::memset(decoded.get(), 1, kDecoded);
        encoded.reset();
        kept.push_back(Allocate(100));
    }
    EXPECT_LE(ResidentPages(), before + (2U << 20) / 4096);
}
#endif

}  // namespace
}  // namespace zarr
