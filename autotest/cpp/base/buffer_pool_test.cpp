// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/base/bytes.h"

namespace zarr {
namespace {

using test::Fails;
using test::Random;
using test::Succeeds;

constexpr std::size_t kKiB = 1024;
constexpr std::size_t kLeast = 64 * kKiB;  // smallest size of buffer that the pool accepts
constexpr std::size_t kPlenty = std::size_t{1} << 30;

Buffer Taken(BufferPool& pool, std::size_t size) {
    Buffer buffer;
    EXPECT_TRUE(Succeeds(pool.Acquire(size, buffer)));
    EXPECT_EQ(buffer.size(), size);
    if (size != 0) std::memset(buffer.data(), 0x5a, size);  // every byte must be writable
    return buffer;
}

// Gives the pool one newly allocated buffer of each size.
void GiveEach(BufferPool& pool, const std::vector<std::size_t>& sizes) {
    for (const std::size_t size : sizes) {
        Buffer buffer;
        EXPECT_TRUE(Succeeds(buffer.Reset(size)));
        pool.Release(std::move(buffer));
    }
}

// Takes all buffers of `size` bytes out of the pool. Returns their number.
std::size_t CountHeld(BufferPool& pool, std::size_t size) {
    std::size_t count = 0;
    for (std::size_t before = pool.bytes();; ++count) {
        const Buffer taken = Taken(pool, size);
        const std::size_t after = pool.bytes();
        if (after == before) return count;
        EXPECT_EQ(before - after, taken.capacity());
        before = after;
    }
}

TEST(BufferPool, GivesTheSameMemoryAgain) {
    BufferPool pool(kPlenty);
    for (const std::size_t size : {kLeast, kLeast + 1, 1000 * kKiB, 5000 * kKiB}) {
        Buffer buffer = Taken(pool, size);
        const std::uint8_t* const before = buffer.data();
        EXPECT_EQ(pool.bytes(), 0U);
        pool.Release(std::move(buffer));
        EXPECT_EQ(pool.bytes(), size);
        buffer = Taken(pool, size);
        EXPECT_EQ(buffer.data(), before);
        EXPECT_EQ(pool.bytes(), 0U) << "what is in use is not held";
    }
}

TEST(BufferPool, GivesMemoryThatIsALittleLarger) {
    BufferPool pool(kPlenty);
    Buffer buffer = Taken(pool, 1000000);
    const std::uint8_t* const before = buffer.data();
    pool.Release(std::move(buffer));
    buffer = Taken(pool, 800000);
    EXPECT_EQ(buffer.data(), before);
    EXPECT_EQ(buffer.capacity(), 1000000U);
    pool.Release(std::move(buffer));
    EXPECT_EQ(pool.bytes(), 1000000U) << "counts as what it is";
}

TEST(BufferPool, KeepsMuchLargerMemoryForOthers) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {1000000});
    for (const std::size_t size : {kLeast, std::size_t{500000}, std::size_t{799999}}) {
        EXPECT_LT(Taken(pool, size).capacity(), 1000000U);
        EXPECT_EQ(pool.bytes(), 1000000U);
    }
    EXPECT_EQ(CountHeld(pool, 1000000), 1U);
}

TEST(BufferPool, GivesTheSmallestSufficientBuffer) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {120000, 100000, 110000, 99999});
    EXPECT_EQ(Taken(pool, 100000).capacity(), 100000U);
    EXPECT_EQ(Taken(pool, 100000).capacity(), 110000U);
    EXPECT_EQ(Taken(pool, 100000).capacity(), 120000U);
    EXPECT_EQ(pool.bytes(), 99999U) << "what is too small stays";
    EXPECT_EQ(Taken(pool, 100000).capacity(), 100000U);
}

TEST(BufferPool, LeavesSmallBuffersToTheAllocator) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {0, 1, kLeast - 1});
    EXPECT_EQ(pool.bytes(), 0U);
    GiveEach(pool, {kLeast});
    EXPECT_EQ(pool.bytes(), kLeast);
    EXPECT_EQ(Taken(pool, kLeast - 1).capacity(), kLeast - 1);
    EXPECT_EQ(Taken(pool, 0).size(), 0U);
    EXPECT_EQ(pool.bytes(), kLeast);
}

TEST(BufferPool, DiscardsTheContentsOfTheBuffer) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {200000});
    Buffer buffer = test::BufferOf("of before");
    ASSERT_TRUE(Succeeds(pool.Acquire(200000, buffer)));
    EXPECT_EQ(buffer.size(), 200000U);
    EXPECT_EQ(pool.bytes(), 0U);
}

TEST(BufferPool, ReportsOutOfMemory) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {1000000});
    Buffer buffer;
    EXPECT_TRUE(Fails(pool.Acquire(SIZE_MAX / 4, buffer), StatusCode::kOutOfMemory));
    EXPECT_TRUE(Fails(pool.Acquire(SIZE_MAX, buffer), StatusCode::kOutOfMemory));
    EXPECT_EQ(pool.bytes(), 1000000U);
    EXPECT_TRUE(Succeeds(pool.Acquire(1000000, buffer)));
}

TEST(BufferPool, StaysWithinItsMaximum) {
    BufferPool pool(1000000);
    GiveEach(pool, {1000001});
    EXPECT_EQ(pool.bytes(), 0U);
    GiveEach(pool, {1000000});
    EXPECT_EQ(pool.bytes(), 1000000U);
    GiveEach(pool, {1000001});
    EXPECT_EQ(pool.bytes(), 1000000U) << "what can never be held pushes nothing out";
    BufferPool none(0);
    GiveEach(none, {0, kLeast, 1000000});
    EXPECT_EQ(none.bytes(), 0U);
}

TEST(BufferPool, FreesOtherSizesFirst) {
    BufferPool pool(400000);
    GiveEach(pool, {100000, 150000, 100000});  // leaves room for 50000 bytes in the pool
    GiveEach(pool, {100000});
    EXPECT_EQ(pool.bytes(), 300000U) << "the one larger one went";
    GiveEach(pool, {100000});
    EXPECT_EQ(pool.bytes(), 400000U);
    GiveEach(pool, {100000});
    EXPECT_EQ(pool.bytes(), 400000U) << "of one size the last that comes goes";
    GiveEach(pool, {150000});
    EXPECT_EQ(pool.bytes(), 350000U) << "a new size pushes two out";
    EXPECT_EQ(CountHeld(pool, 150000), 1U);
    EXPECT_EQ(CountHeld(pool, 100000), 2U);
}

TEST(BufferPool, FreesSmallerAndLargerBuffers) {
    BufferPool pool(600000);
    GiveEach(pool, {100000, 300000, 200000});
    // Freeing the smallest buffer leaves too little room, so the pool frees the largest, too.
    GiveEach(pool, {200000});
    EXPECT_EQ(pool.bytes(), 400000U);
    EXPECT_EQ(CountHeld(pool, 200000), 2U);
}

TEST(BufferPool, ShrinksAtOnce) {
    BufferPool pool(kPlenty);
    GiveEach(pool, {100000, 200000, 300000, 200000});
    EXPECT_EQ(pool.bytes(), 800000U);
    pool.SetMaxBytes(800000);
    EXPECT_EQ(pool.bytes(), 800000U);
    pool.SetMaxBytes(799999);
    EXPECT_LT(pool.bytes(), 800000U);
    EXPECT_GE(pool.bytes(), 500000U) << "no more than is needed";
    pool.SetMaxBytes(1);
    EXPECT_EQ(pool.bytes(), 0U);
    GiveEach(pool, {100000});
    EXPECT_EQ(pool.bytes(), 0U);
    pool.SetMaxBytes(100000);
    GiveEach(pool, {100000});
    EXPECT_EQ(pool.bytes(), 100000U);
}

TEST(BufferPool, StaysWithinItsMaximumWithRandomSizes) {
    constexpr std::uint64_t kSeed = 61;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    std::size_t most = 3000000;
    BufferPool pool(most);
    std::vector<Buffer> used;
    std::size_t fullest = 0;
    for (int i = 0; i < 5000; ++i) {
        if (used.size() < 12 && random.Chance()) {
            used.push_back(Taken(pool, random.Below(8) * 100000 + random.Below(2) * 777));
        } else if (!used.empty()) {
            std::swap(used[random.Below(used.size())], used.back());
            pool.Release(std::move(used.back()));
            used.pop_back();
        }
        if (i % 500 == 499) pool.SetMaxBytes(most = 1000000 + random.Below(3000000));
        ASSERT_LE(pool.bytes(), most);
        fullest = std::max(fullest, pool.bytes());
    }
    EXPECT_GT(fullest, 1000000U) << "and makes use of it";
}

// Each thread takes a buffer from the pool, writes its own marks into it, and must find them
// unchanged.
TEST(BufferPool, IsSafeForManyThreads) {
    constexpr std::size_t kMost = 2000000;
    constexpr std::size_t kThreads = 8;
    BufferPool pool(kMost);
    std::atomic<int> wrong{0};
    std::atomic<bool> is_over{false};
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            Random random(300 + t);
            for (int i = 0; i < 400; ++i) {
                const std::size_t size = kLeast * (1 + random.Below(5));
                Buffer buffer;
                if (!pool.Acquire(size, buffer).ok()) ++wrong;
                const auto mark = static_cast<std::uint8_t>(16 * t + random.Below(16));
                for (std::size_t at = 0; at < size; at += 4000) buffer.data()[at] = mark;
                std::this_thread::yield();
                for (std::size_t at = 0; at < size; at += 4000)
                    if (buffer.data()[at] != mark) ++wrong;
                pool.Release(std::move(buffer));
            }
        });
    std::thread watcher([&] {
        for (std::size_t i = 0; !is_over; ++i) {
            if (pool.bytes() > kMost) ++wrong;
            pool.SetMaxBytes(kMost / (1 + i % 3));
            std::this_thread::yield();
        }
    });
    for (std::thread& thread : threads) thread.join();
    is_over = true;
    watcher.join();
    EXPECT_EQ(wrong, 0);
    pool.SetMaxBytes(0);
    EXPECT_EQ(pool.bytes(), 0U);
}

}  // namespace
}  // namespace zarr
