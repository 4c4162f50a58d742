// SPDX-License-Identifier: MIT
// Tests of the three ways to read a chunk: decode into the destination, into the cache, or into
// temporary memory.
#include <thread>

#include "autotest/cpp/array/sample_array.h"
#include "autotest/cpp/array/spy_store.h"

namespace zarr::test {
namespace {

constexpr std::size_t kPathsCache = std::size_t{1} << 24;

Region Window(std::uint64_t y, std::uint64_t x, std::uint64_t height, std::uint64_t width) {
    Region region;
    region.start = {y, x};
    region.count = {height, width};
    region.step = {1, 1};
    return region;
}

// Returns an array of 4 x 3 chunks of 10 x 20 elements. The chunks of the last row and column
// extend beyond the array.
SampleSpec PathsSpec(bool compressed) {
    SampleSpec spec{{37, 51}, {10, 20}};
    if (compressed) spec.compressor = R"({"id": "zlib"})";
    return spec;
}

bool IsCached(const Array& array, std::uint64_t y, std::uint64_t x) {
    return array.context().cache().Find(array.IdOf({y, x})) != nullptr;
}

class Paths : public testing::TestWithParam<bool> {
  protected:
    Random random_{17};
    SampleArray sample_{random_, PathsSpec(GetParam()), false};
    std::shared_ptr<SpyStore> spy_ = std::make_shared<SpyStore>(sample_.store());
};
INSTANTIATE_TEST_SUITE_P(Compressed, Paths, testing::Bool());

TEST_P(Paths, AWholeChunkIsReadDirectlyAndNotCached) {
    const auto array = sample_.Open(kPathsCache, spy_);
    const Region region = Window(10, 20, 10, 20);
    std::string memory(10 * 20 * 4, '\0');
    auto* data = reinterpret_cast<std::uint8_t*>(memory.data());
    const Destination destination{data, ContiguousStrides(region.count, 4, false),
                                  CopyConverter(4)};
    ASSERT_TRUE(Succeeds(array->Read(region, 0, destination, {4})));
    EXPECT_EQ(memory, sample_.Expected(region));
    EXPECT_FALSE(IsCached(*array, 1, 1));
    EXPECT_EQ(spy_->gets, GetParam() ? 1 : 0);
    EXPECT_EQ(spy_->gets_into, GetParam() ? 0 : 1);
    if (!GetParam()) {
        EXPECT_EQ(spy_->last_memory, data);
    }
}

TEST_P(Paths, APartlyReadChunkIsCached) {
    const auto array = sample_.Open(kPathsCache, spy_);
    for (const Region& region :
         {Window(12, 21, 5, 5), Window(10, 20, 9, 20), Window(19, 39, 1, 1)}) {
        const auto read = ReadRowMajor(*array, region, 1);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_EQ(*read, sample_.Expected(region));
    }
    EXPECT_TRUE(IsCached(*array, 1, 1));
    EXPECT_EQ(spy_->gets, 1);
    EXPECT_EQ(spy_->gets_into, 0);
    const auto whole = ReadRowMajor(*array, Window(10, 20, 10, 20), 1);
    EXPECT_EQ(*whole, sample_.Expected(Window(10, 20, 10, 20)));
    EXPECT_EQ(spy_->gets + spy_->gets_into, 1) << "from the cache, once it is there";
}

TEST_P(Paths, AChunkLargerThanTheCacheIsCachedAlone) {
    for (const std::size_t cache_bytes : {0, 10 * 20 * 4 - 1}) {
        const auto array = sample_.Open(cache_bytes, spy_);
        spy_->gets = 0;
        for (int i = 0; i < 3; ++i) {
            const auto read = ReadRowMajor(*array, Window(12, 21, 5, 5), 1);
            ASSERT_TRUE(Succeeds(read));
            EXPECT_EQ(*read, sample_.Expected(Window(12, 21, 5, 5)));
            EXPECT_EQ(IsCached(*array, 1, 1), cache_bytes != 0);
            EXPECT_EQ(spy_->gets, cache_bytes == 0 ? i + 1 : 1);
        }
    }
}

TEST_P(Paths, AllReadEqualElements) {
    const Region all = Region::All(sample_.spec().shape);
    const std::string expected = sample_.Expected(all);
    for (const std::size_t cache_bytes : {std::size_t{0}, std::size_t{900}, kPathsCache}) {
        for (const std::size_t threads : {1U, 2U, 16U}) {
            const auto array = sample_.Open(cache_bytes);
            const auto cold = ReadRowMajor(*array, all, threads);
            for (std::uint64_t y = 0; y < 37; y += 5)  // fills the cache if the cache has room
                ASSERT_TRUE(Succeeds(ReadRowMajor(*array, Window(y, 0, 1, 51), threads)));
            const auto warm = ReadRowMajor(*array, all, threads);
            ASSERT_TRUE(Succeeds(cold));
            ASSERT_TRUE(Succeeds(warm));
            EXPECT_TRUE(*cold == expected);
            EXPECT_TRUE(*warm == expected);
        }
    }
}

TEST_P(Paths, RequestsEachChunkOnceAndNothingElse) {
    const auto array = sample_.Open(kPathsCache, spy_);
    ASSERT_TRUE(Succeeds(ReadRowMajor(*array, Region::All(sample_.spec().shape), 4)));
    EXPECT_EQ(spy_->gets + spy_->gets_into, 12);
    EXPECT_EQ(spy_->ranges + spy_->lists, 0);
    const ReadCounters& counters = array->context().counters();
    EXPECT_EQ(counters.chunks_requested, 12U);
    EXPECT_EQ(counters.chunks_decoded, 12U);
    EXPECT_EQ(counters.chunks_absent, 0U);
    EXPECT_EQ(counters.bytes_decoded, 12U * 800);
    if (!GetParam()) {
        EXPECT_EQ(counters.bytes_read, 12U * 800);
    }
}

TEST_P(Paths, CountsAbsentChunks) {
    for (const char* key : {"dem/0.0", "dem/3.2", "dem/1.1"})
        ASSERT_TRUE(Succeeds(sample_.store()->Erase(key)));
    const auto array = sample_.Open(kPathsCache);
    const auto read = ReadRowMajor(*array, Region::All(sample_.spec().shape), 4);
    ASSERT_TRUE(Succeeds(read));
    EXPECT_EQ(read->substr(0, 4), sample_.metadata().fill_value.Bytes());
    const ReadCounters& counters = array->context().counters();
    EXPECT_EQ(counters.chunks_requested, 12U);
    EXPECT_EQ(counters.chunks_absent, 3U);
    EXPECT_EQ(counters.chunks_decoded, 9U);
    // Only the first read asks the store. Later reads find in the cache that the chunk is absent.
    for (int i = 0; i < 3; ++i)
        ASSERT_TRUE(Succeeds(ReadRowMajor(*array, Window(11, 21, 2, 2), 1)));
    EXPECT_EQ(counters.chunks_absent, 4U);
}

// Many threads read every second row, so each read needs only parts of chunks. Each chunk must be
// decoded into the cache exactly once.
TEST_P(Paths, DecodesEachChunkOnceForManyThreads) {
    const auto array = sample_.Open(kPathsCache);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint64_t t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            Random random(100 + t);
            for (int i = 0; i < 40; ++i) {
                Region region = i == 0 ? Window(0, 0, 18, 51)
                                       : Window(random.Below(20), random.Below(30), 8, 20);
                region.step = {2, 1};
                const auto read = ReadRowMajor(*array, region, 1 + t % 3);
                if (!read.ok() || *read != sample_.Expected(region)) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(array->context().counters().chunks_decoded, 12U);
    EXPECT_EQ(array->context().counters().chunks_requested, 12U);
}

TEST_P(Paths, IsRightForManyThreadsWithATinyCache) {
    const auto array = sample_.Open(2000);  // room for two decoded chunks
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::uint64_t t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            Random random(200 + t);
            for (int i = 0; i < 40; ++i) {
                const Region region = RandomRegion(random, sample_.spec().shape);
                const auto read = ReadRowMajor(*array, region, 1 + t % 3);
                if (!read.ok() || *read != sample_.Expected(region)) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
}

TEST(ArrayContext, IsSharedByArraysAndForgetsThoseThatEnd) {
    Random random(18);
    const SampleArray a(random, PathsSpec(false), false);
    const SampleArray b(random, PathsSpec(false), false);
    const auto context = std::make_shared<ArrayContext>(kPathsCache);
    auto first = *Array::Open(a.store(), "dem", a.spec().Metadata(), context);
    const auto second = *Array::Open(b.store(), "dem", b.spec().Metadata(), context);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(*ReadRowMajor(*first, Window(1, 1, 2, 2), 1), a.Expected(Window(1, 1, 2, 2)));
        EXPECT_EQ(*ReadRowMajor(*second, Window(1, 1, 2, 2), 1), b.Expected(Window(1, 1, 2, 2)));
    }
    EXPECT_EQ(context->counters().chunks_decoded, 2U);
    const ChunkId id = first->IdOf({0, 0});
    EXPECT_NE(context->cache().Find(id), nullptr);
    first.reset();
    EXPECT_EQ(context->cache().Find(id), nullptr);
    EXPECT_TRUE(IsCached(*second, 0, 0));
}

TEST(ArrayContext, LendsScratchAgainUnlessItIsHuge) {
    ArrayContext context(0);
    Scratch* first = nullptr;
    {
        ArrayContext::ScratchBuffer loan(context);
        ArrayContext::ScratchBuffer other(context);
        first = &*loan;
        EXPECT_NE(&*loan, &*other);
        ASSERT_TRUE(Succeeds(loan->chunk.Resize(1000)));
    }
    {
        ArrayContext::ScratchBuffer loan(context);
        EXPECT_EQ(&*loan, first);
        EXPECT_EQ(loan->chunk.capacity(), 1000U);
        ASSERT_TRUE(Succeeds(loan->pipeline.encoded.Resize(std::size_t{17} << 20)));
    }
    ArrayContext::ScratchBuffer loan(context);
    ArrayContext::ScratchBuffer other(context);
    EXPECT_LT(loan->pipeline.encoded.capacity() + other->pipeline.encoded.capacity(), 1000U);
}

}  // namespace
}  // namespace zarr::test
