// SPDX-License-Identifier: MIT
#include "core/array/chunk_cache.h"

#include <atomic>
#include <chrono>
#include <new>
#include <set>
#include <thread>
#include <vector>

#include "autotest/cpp/support/checks.h"

namespace zarr {
namespace {

using test::Fails;
using test::Random;
using test::Succeeds;

ChunkPtr Chunk(std::size_t size) {
    auto chunk = std::make_shared<DecodedChunk>(nullptr);
    EXPECT_TRUE(Succeeds(chunk->elements.Resize(size)));
    return chunk;
}

constexpr std::size_t kSize = 1000;
// Number of bytes that the cache counts for a chunk of kSize bytes.
const std::size_t kBytes = kSize + sizeof(DecodedChunk);

void Load(ChunkCache& cache, const ChunkId& id, std::size_t size = kSize) {
    EXPECT_TRUE(Succeeds(cache.GetOrLoad(id, [&]() -> Result<ChunkPtr> { return Chunk(size); })));
}

std::set<std::uint64_t> CachedChunks(ChunkCache& cache, std::uint64_t array, std::uint64_t limit) {
    std::set<std::uint64_t> held;
    for (std::uint64_t i = 0; i < limit; ++i)
        if (cache.Find({array, i}) != nullptr) held.insert(i);
    return held;
}

TEST(ChunkCache, EvictsTheLeastRecentlyUsed) {
    ChunkCache cache(3 * kBytes);
    for (std::uint64_t i = 0; i < 3; ++i) Load(cache, {1, i});
    EXPECT_NE(cache.Find({1, 0}), nullptr);  // makes chunk 1 the least recently used
    Load(cache, {1, 3});
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{0, 2, 3}));
    // CachedChunks() has used the chunks 0, 2 and 3, in this order. Loading chunk 0, which is
    // cached, makes chunk 2 the least recently used.
    Load(cache, {1, 0});
    Load(cache, {1, 4});
    EXPECT_EQ(CachedChunks(cache, 1, 5), (std::set<std::uint64_t>{0, 3, 4}));
}

TEST(ChunkCache, CountsBytes) {
    ChunkCache cache(3 * kBytes);
    Load(cache, {1, 0});
    Load(cache, {1, 1});
    // Chunk 2 needs 2 * kSize bytes and the overhead of a chunk, so the cache evicts chunk 0.
    Load(cache, {1, 2}, 2 * kSize);
    EXPECT_EQ(CachedChunks(cache, 1, 3), (std::set<std::uint64_t>{1, 2}));
    // Chunk 3 and its overhead fill the cache exactly, so the cache evicts all other chunks.
    Load(cache, {1, 3}, 3 * kBytes - sizeof(DecodedChunk));
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{3}));
}

TEST(ChunkCache, KeepsAnOversizedChunkAlone) {
    ChunkCache cache(3 * kBytes);
    Load(cache, {1, 0});
    Load(cache, {1, 1}, 4 * kBytes);
    EXPECT_EQ(CachedChunks(cache, 1, 2), (std::set<std::uint64_t>{1}));
    Load(cache, {1, 2}, 5 * kBytes);
    EXPECT_EQ(CachedChunks(cache, 1, 3), (std::set<std::uint64_t>{2}));
    Load(cache, {1, 3});
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{3}));
    cache.SetMaxBytes(1);
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{3}));
    cache.SetMaxBytes(0);
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{}));
    Load(cache, {1, 4});
    EXPECT_EQ(CachedChunks(cache, 1, 5), (std::set<std::uint64_t>{}));
}

TEST(ChunkCache, StaysWithinItsBound) {
    Random random(24);
    ChunkCache cache(20000);
    std::vector<std::size_t> sizes(200);
    for (std::size_t& size : sizes) size = random.Below(6000);
    for (int i = 0; i < 3000; ++i) {
        const std::uint64_t id = random.Below(sizes.size());
        Load(cache, {1, id}, sizes[id]);
        if (i % 100 != 99) continue;
        std::size_t held = 0;
        for (const std::uint64_t each : CachedChunks(cache, 1, sizes.size()))
            held += sizes[each] + sizeof(DecodedChunk);
        EXPECT_LE(held, 20000U);
        EXPECT_GT(held, 5000U) << "and makes use of it";
    }
}

TEST(ChunkCache, ShrinksAtOnce) {
    ChunkCache cache(4 * kBytes);
    for (std::uint64_t i = 0; i < 4; ++i) Load(cache, {1, i});
    cache.SetMaxBytes(2 * kBytes);
    EXPECT_EQ(cache.max_bytes(), 2 * kBytes);
    EXPECT_EQ(CachedChunks(cache, 1, 4), (std::set<std::uint64_t>{2, 3}));
    cache.SetMaxBytes(0);
    EXPECT_TRUE(CachedChunks(cache, 1, 4).empty());
    Load(cache, {1, 0});
    EXPECT_TRUE(CachedChunks(cache, 1, 4).empty());
}

TEST(ChunkCache, ChunksOutliveTheirEviction) {
    ChunkCache cache(kBytes);
    Load(cache, {1, 0});
    const ChunkPtr held = cache.Find({1, 0});
    cache.SetMaxBytes(0);
    EXPECT_EQ(held->elements.size(), kSize);
}

TEST(ChunkCache, ReusesTheMemoryOfChunks) {
    constexpr std::size_t kLarge = 100000;
    // The cache keeps freed memory for later chunks, up to an eighth of its own size.
    ChunkCache cache(20 * kLarge);
    auto chunk = cache.NewChunk();
    ASSERT_TRUE(Succeeds(chunk->Allocate(kLarge)));
    const std::uint8_t* const memory = chunk->elements.data();
    cache.Replace({1, 0}, std::move(chunk));
    chunk = cache.NewChunk();
    ASSERT_TRUE(Succeeds(chunk->Allocate(kLarge)));
    EXPECT_NE(chunk->elements.data(), memory) << "which is in use";
    cache.DropArray(1);
    chunk = cache.NewChunk();
    ASSERT_TRUE(Succeeds(chunk->Allocate(kLarge)));
    EXPECT_EQ(chunk->elements.data(), memory);
    EXPECT_EQ(chunk->elements.size(), kLarge);
    EXPECT_EQ(chunk->pool->bytes(), kLarge) << "of the chunk in between";
    cache.SetMaxBytes(0);
    EXPECT_EQ(chunk->pool->bytes(), 0U);
}

TEST(ChunkCache, DropsOnlyStaleChunks) {
    ChunkCache cache(10 * kBytes);
    for (std::uint64_t i = 0; i < 3; ++i) Load(cache, {1, i});
    Load(cache, {2, 1});
    const auto is_stale = [](std::uint64_t chunk, const DecodedChunk&) { return chunk == 1; };
    cache.DropOutdated(1, true, is_stale);
    EXPECT_EQ(CachedChunks(cache, 1, 3), (std::set<std::uint64_t>{0, 2}));
    EXPECT_EQ(CachedChunks(cache, 2, 3), (std::set<std::uint64_t>{1}));
}

// A stored chunk may change while a thread loads it, and the thread may have read the old value.
// With `and_loading`, DropOutdated() must therefore also drop chunks that are being loaded.
TEST(ChunkCache, DropsChunksThatAreBeingLoaded) {
    for (const bool and_loading : {true, false}) {
        ChunkCache cache(10 * kBytes);
        const ChunkPtr before = Chunk(kSize);
        const ChunkPtr after = Chunk(kSize);
        const auto never = [](std::uint64_t, const DecodedChunk&) { return false; };
        const auto first = cache.GetOrLoad({1, 0}, [&]() -> Result<ChunkPtr> {
            cache.DropOutdated(2, true, never);
            cache.DropOutdated(1, and_loading, never);
            if (and_loading) {
                const auto second = cache.GetOrLoad({1, 0}, [&] { return Result(after); });
                EXPECT_EQ(second.ok() ? *second : nullptr, after) << "and not the old one";
            }
            return before;
        });
        ASSERT_TRUE(Succeeds(first));
        EXPECT_EQ(*first, before);
        EXPECT_EQ(cache.Find({1, 0}), and_loading ? after : before);
    }
}

TEST(ChunkCache, ChunksOutliveTheCache) {
    ChunkPtr held;
    {
        ChunkCache cache(1000000);
        auto chunk = cache.NewChunk();
        ASSERT_TRUE(Succeeds(chunk->Allocate(100000)));
        held = std::move(chunk);
    }
    EXPECT_EQ(held->elements.size(), 100000U);
    held.reset();
}

TEST(ChunkCache, DropsAnArray) {
    ChunkCache cache(10 * kBytes);
    for (std::uint64_t i = 0; i < 3; ++i) {
        Load(cache, {1, i});
        Load(cache, {2, i});
    }
    cache.DropArray(1);
    EXPECT_TRUE(CachedChunks(cache, 1, 3).empty());
    EXPECT_EQ(CachedChunks(cache, 2, 3).size(), 3U);
    // Dropping array 1 frees its bytes in the cache, so new chunks fit.
    for (std::uint64_t i = 3; i < 10; ++i) Load(cache, {2, i});
    EXPECT_EQ(CachedChunks(cache, 2, 10).size(), 10U);
}

TEST(ChunkCache, DoesNotCacheFailures) {
    ChunkCache cache(10 * kBytes);
    int loads = 0;
    for (int i = 0; i < 2; ++i)
        EXPECT_TRUE(Fails(cache.GetOrLoad({1, 0},
                                          [&]() -> Result<ChunkPtr> {
                                              ++loads;
                                              return Status::Corrupt("bad");
                                          }),
                          StatusCode::kCorrupt, "bad"));
    EXPECT_EQ(loads, 2);
    EXPECT_TRUE(Fails(cache.GetOrLoad({1, 0}, []() -> Result<ChunkPtr> { throw std::bad_alloc(); }),
                      StatusCode::kOutOfMemory));
    Load(cache, {1, 0});
    EXPECT_NE(cache.Find({1, 0}), nullptr);
}

// All threads request one chunk while the first thread loads it; the load fails unless `succeed`.
// Returns the number of loads.
int LoadTogether(bool succeed) {
    constexpr int kThreads = 8;
    ChunkCache cache(10 * kBytes);
    std::atomic<int> asking{0};
    std::atomic<int> loads{0};
    std::vector<Result<ChunkPtr>> results(kThreads, Result<ChunkPtr>(ChunkPtr()));
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            ++asking;
            results[t] = cache.GetOrLoad({1, 0}, [&]() -> Result<ChunkPtr> {
                ++loads;
                while (asking < kThreads) std::this_thread::yield();
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
                EXPECT_EQ(cache.Find({1, 0}), nullptr) << "never waits for a load";
                if (!succeed) return Status::Io("disk");
                return Chunk(kSize);
            });
        });
    for (std::thread& thread : threads) thread.join();
    for (const Result<ChunkPtr>& result : results) {
        if (!succeed) {
            EXPECT_TRUE(Fails(result, StatusCode::kIo, "disk"));
        } else if (Succeeds(result)) {
            EXPECT_EQ(*result, *results[0]);
        } else {
            ADD_FAILURE() << result.status().message();
        }
    }
    return loads;
}

TEST(ChunkCache, LoadsOnceForAllThatMissTogether) { EXPECT_EQ(LoadTogether(true), 1); }

// Threads that wait for a failing load must get its error, without a load of their own. A thread
// that starts after the failure loads again.
TEST(ChunkCache, GivesAFailureToAllThatWaited) {
    int loads = 0;
    for (int attempt = 0; attempt < 5 && loads != 1; ++attempt) loads = LoadTogether(false);
    EXPECT_EQ(loads, 1);
}

TEST(ChunkCache, IsSafeForManyThreads) {
    ChunkCache cache(8 * kBytes);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint64_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            Random random(t);
            for (int i = 0; i < 2000; ++i) {
                const std::uint64_t id = random.Below(30);
                const auto chunk = cache.GetOrLoad(
                    {id % 3, id}, [&]() -> Result<ChunkPtr> { return Chunk(kSize + id); });
                if (!chunk.ok() || (*chunk)->elements.size() != kSize + id) ++wrong;
                if (i % 100 == 0) cache.DropArray(random.Below(3));
                if (i % 150 == 0) cache.SetMaxBytes(random.Below(12) * kBytes);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(ChunkCache, GivesEachArrayItsOwnId) {
    EXPECT_NE(ChunkCache::NextArrayId(), ChunkCache::NextArrayId());
}

TEST(ChunkCache, ReadersWaitForAClaim) {
    ChunkCache cache(3 * kBytes);
    auto claim = cache.TryClaim({1, 0});
    ASSERT_TRUE(claim);
    EXPECT_TRUE(cache.IsLoading({1, 0}));
    EXPECT_FALSE(cache.TryClaim({1, 0}));
    EXPECT_TRUE(cache.TryClaim({1, 1}));
    std::thread other([&] {
        const auto load = [&]() -> Result<ChunkPtr> { return Status::Io("loaded twice"); };
        EXPECT_TRUE(Succeeds(cache.GetOrLoad({1, 0}, load)));
    });
    const auto loaded = cache.LoadClaimed(claim, []() -> Result<ChunkPtr> { return Chunk(kSize); });
    other.join();
    EXPECT_TRUE(Succeeds(loaded));
    EXPECT_FALSE(claim);
    EXPECT_FALSE(cache.IsLoading({1, 0}));
    EXPECT_FALSE(cache.TryClaim({1, 0}));  // chunk 0 is cached
    EXPECT_EQ(cache.Find({1, 0}), *loaded);
}

TEST(ChunkCache, WaitingReaderLoadsAnAbandonedClaim) {
    ChunkCache cache(3 * kBytes);
    std::atomic<int> loads{0};
    std::vector<std::thread> waiting;
    {
        const auto claim = cache.TryClaim({1, 0});
        for (int i = 0; i < 4; ++i)
            waiting.emplace_back([&] {
                EXPECT_TRUE(Succeeds(cache.GetOrLoad({1, 0}, [&]() -> Result<ChunkPtr> {
                    ++loads;
                    return Chunk(kSize);
                })));
            });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        EXPECT_EQ(loads, 0);
    }
    for (std::thread& thread : waiting) thread.join();
    EXPECT_EQ(loads, 1);
}

}  // namespace
}  // namespace zarr
