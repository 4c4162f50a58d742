// SPDX-License-Identifier: MIT
#include <atomic>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"
#include "core/array/array_context.h"

namespace zarr {
namespace {

using test::Random;

// Calls IsFirstPartialRead() for each of the first `chunks` chunks of `array`. Returns how often
// the result is true.
std::size_t CountFirst(ArrayContext& context, std::uint64_t array, std::uint64_t chunks) {
    std::size_t count = 0;
    for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
        count += context.IsFirstPartialRead({array, chunk}) ? 1 : 0;
    return count;
}

TEST(IsFirstPartialRead, IsTrueOnce) {
    ArrayContext context(0);
    for (const ChunkId id : {ChunkId{0, 0}, ChunkId{0, 1}, ChunkId{1, 0}, ChunkId{7, 123456789},
                             ChunkId{UINT64_MAX, UINT64_MAX}}) {
        EXPECT_TRUE(context.IsFirstPartialRead(id)) << id.array << ", " << id.chunk;
        for (int i = 0; i < 3; ++i)
            EXPECT_FALSE(context.IsFirstPartialRead(id)) << id.array << ", " << id.chunk;
    }
    ArrayContext other(0);
    EXPECT_TRUE(other.IsFirstPartialRead({1, 0})) << "of each context by itself";
}

TEST(IsFirstPartialRead, KnowsChunksThatAreReadRepeatedly) {
    for (const std::uint64_t array : {1U, 2U, 77U, 100000U}) {
        for (const std::uint64_t chunks : {2U, 64U, 1000U, 3000U}) {
            ArrayContext context(0);
            EXPECT_EQ(CountFirst(context, array, chunks), chunks);
            // The context remembers chunks in a table of fixed size. With 3000 chunks, it may
            // forget up to 1 % of them.
            for (int round = 0; round < 3; ++round)
                EXPECT_LE(CountFirst(context, array, chunks), chunks <= 1000 ? 0 : chunks / 100)
                    << chunks << " chunks of array " << array;
        }
    }
}

// Chunks whose numbers differ by a constant, like those of a column, must be remembered.
TEST(IsFirstPartialRead, KnowsChunksThatLieApart) {
    for (const std::uint64_t stride : {7U, 64U, 1000U, 1024U, 8192U, 65536U, 1048576U}) {
        ArrayContext context(0);
        std::size_t first = 0;
        for (int round = 0; round < 2; ++round)
            for (std::uint64_t i = 0; i < 1000; ++i)
                first += context.IsFirstPartialRead({3, i * stride}) ? 1 : 0;
        EXPECT_GE(first, 1000U);
        EXPECT_LE(first, 1010U) << "with a stride of " << stride;
    }
}

TEST(IsFirstPartialRead, KeepsArraysApart) {
    ArrayContext context(0);
    for (std::uint64_t array = 1; array <= 50; ++array)
        EXPECT_EQ(CountFirst(context, array, 40), 40U) << "of array " << array;
    std::size_t forgotten = 0;
    for (std::uint64_t array = 1; array <= 50; ++array) forgotten += CountFirst(context, array, 40);
    EXPECT_LE(forgotten, 20U) << "of 2000";
}

TEST(IsFirstPartialRead, ForgetsOldChunks) {
    ArrayContext context(0);
    EXPECT_TRUE(context.IsFirstPartialRead({1, 5}));
    CountFirst(context, 2, 2000000);
    EXPECT_TRUE(context.IsFirstPartialRead({1, 5}));
    EXPECT_FALSE(context.IsFirstPartialRead({1, 5})) << "and learns it again, in a full table";
}

TEST(IsFirstPartialRead, IsTrueForOneOfManyThreads) {
    constexpr std::uint64_t kChunks = 1000;
    ArrayContext context(0);
    std::atomic<std::size_t> first{0};
    std::vector<std::thread> threads;
    for (std::uint64_t t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < kChunks; ++i)  // each thread begins with another chunk
                first += context.IsFirstPartialRead({9, (i + t * 3) % kChunks}) ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(first, kChunks);
}

}  // namespace
}  // namespace zarr
