// SPDX-License-Identifier: MIT
// Tests which decoded chunks stay cached if the bands of a cube are read in order. Several bands
// share a layer of chunks, which may be larger than the cache.
#include <gtest/gtest.h>

#include <algorithm>

#include "autotest/cpp/array/spy_store.h"
#include "autotest/cpp/array/written_array.h"

namespace zarr::test {
namespace {

constexpr const char* kZlib = R"({"id": "zlib", "level": 1})";
constexpr const char* kStayingBlosc =
    R"({"id": "blosc", "cname": "zstd", "clevel": 1, "shuffle": 1})";

struct Cube {
    SampleSpec spec;
    std::uint64_t layer = 1;       // number of chunks in a layer; each band needs all of them
    std::size_t chunk_bytes = 4;   // size of a decoded chunk in bytes
    std::size_t cached_bytes = 0;  // size in bytes of a chunk in the cache, with its overhead

    Cube(std::vector<std::uint64_t> shape, std::vector<std::uint64_t> chunks,
         const char* compressor) {
        for (std::size_t i = 0; i < 3; ++i) {
            chunk_bytes *= static_cast<std::size_t>(chunks[i]);
            if (i != 0) layer *= (shape[i] + chunks[i] - 1) / chunks[i];
        }
        cached_bytes = chunk_bytes + sizeof(DecodedChunk);
        spec.shape = std::move(shape);
        spec.chunks = std::move(chunks);
        spec.compressor = compressor;
    }
    Region Band(std::uint64_t band) const {
        return {{band, 0, 0}, {1, spec.shape[1], spec.shape[2]}, {1, 1, 1}};
    }
};

// Reads all bands in order. Returns the number of chunks that were decoded for each band.
std::vector<std::uint64_t> ReadBands(const WrittenArray& written, const Cube& cube,
                                     const Array& array, std::size_t threads) {
    std::vector<std::uint64_t> decoded;
    const ReadCounters& counters = array.context().counters();
    for (std::uint64_t band = 0; band < cube.spec.shape[0]; ++band) {
        const std::uint64_t before = counters.chunks_decoded;
        const auto read = ReadRowMajor(array, cube.Band(band), threads);
        EXPECT_TRUE(Succeeds(read));
        EXPECT_TRUE(read.ok() && *read == written.Expected(cube.Band(band))) << "band " << band;
        decoded.push_back(counters.chunks_decoded - before);
    }
    return decoded;
}

class Staying : public testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(Threads, Staying, testing::Values(1, 2, 16));

// Reads all bands of `cube`. The first band of a layer of chunks must decode the whole layer; later
// bands must find `stay` of its chunks in the cache.
void CheckStay(const Cube& cube, std::size_t cache_bytes, std::uint64_t stay, std::size_t threads) {
    SCOPED_TRACE("a cache of " + std::to_string(cache_bytes));
    Random random(91);
    const WrittenArray written(random, cube.spec);
    const auto array = written.Open(cache_bytes);
    const std::vector<std::uint64_t> decoded = ReadBands(written, cube, *array, threads);
    for (std::size_t band = 0; band < decoded.size(); ++band) {
        const bool is_first = band % cube.spec.chunks[0] == 0;
        EXPECT_EQ(decoded[band], is_first ? cube.layer : cube.layer - stay) << "band " << band;
    }
}

// Checks two caches: one has room for `chunks` cached chunks, the other for their decoded bytes
// only. The second cache holds fewer chunks, because a cached chunk has an overhead.
void CheckCachesOf(const Cube& cube, std::uint64_t chunks, std::size_t threads) {
    const auto n = static_cast<std::size_t>(chunks);
    CheckStay(cube, n * cube.cached_bytes, chunks, threads);
    const std::uint64_t fit = n * cube.chunk_bytes / cube.cached_bytes;
    CheckStay(cube, n * cube.chunk_bytes, std::max<std::uint64_t>(fit, 1), threads);
}

TEST_P(Staying, AsManyChunksOfSmallBandsStayAsFit) {
    const Cube cube({16, 60, 64}, {8, 16, 16}, kZlib);
    ASSERT_EQ(cube.layer, 16U);
    for (const std::uint64_t chunks : {1U, 8U, 15U, 16U}) CheckCachesOf(cube, chunks, GetParam());
}

TEST_P(Staying, AsManyChunksOfLargeBandsStayAsFit) {
    const Cube cube({6, 300, 320}, {3, 80, 80}, kZlib);
    ASSERT_EQ(cube.layer, 16U);
    for (const std::uint64_t chunks : {8U, 16U}) CheckCachesOf(cube, chunks, GetParam());
}

// A band needs 90 chunks, more than tuning::kMaxCachedParts. A read of so many chunks does
// not begin by copying the parts that are cached.
TEST_P(Staying, AsManyOfManyChunksStayAsFit) {
    const Cube cube({6, 70, 80}, {3, 8, 8}, kZlib);
    ASSERT_EQ(cube.layer, 90U);
    for (const std::uint64_t chunks : {45U, 90U}) CheckCachesOf(cube, chunks, GetParam());
}

TEST_P(Staying, OneChunkStaysIfNoneFits) {
    const Cube cube({4, 60, 64}, {4, 16, 16}, kZlib);
    CheckStay(cube, 0, 0, GetParam());
    for (const std::size_t cache_bytes : {std::size_t{1}, cube.chunk_bytes, cube.cached_bytes - 1})
        CheckStay(cube, cache_bytes, 1, GetParam());
}

// The cache has room for one layer of blosc chunks. The first band decodes only parts of these
// chunks, and the second band caches them whole.
TEST_P(Staying, NoChunkIsReadMoreThanTwiceIfALayerFits) {
    Random random(92);
    const Cube cube({32, 120, 128}, {32, 64, 32}, kStayingBlosc);  // chunks of 256 KiB
    ASSERT_EQ(cube.layer, 8U);
    const WrittenArray written(random, cube.spec);
    const auto spy = std::make_shared<SpyStore>(written.store);
    const auto array = written.Open(static_cast<std::size_t>(cube.layer) * cube.cached_bytes, spy);
    const std::vector<std::uint64_t> decoded = ReadBands(written, cube, *array, GetParam());
    EXPECT_EQ(decoded[0], cube.layer);
    EXPECT_LE(decoded[1], cube.layer);
    for (std::size_t band = 2; band < decoded.size(); ++band)
        EXPECT_EQ(decoded[band], 0U) << "band " << band;
    const auto by_key = spy->by_key();
    EXPECT_EQ(by_key.size(), cube.layer);
    for (const auto& [key, count] : by_key) EXPECT_LE(count, 2) << key;
}

TEST_P(Staying, OtherChunksAreReadAgainIfHalfALayerFits) {
    Random random(93);
    const Cube cube({32, 120, 128}, {32, 64, 32}, kStayingBlosc);
    const WrittenArray written(random, cube.spec);
    const auto array = written.Open(static_cast<std::size_t>(cube.layer) / 2 * cube.cached_bytes);
    const std::vector<std::uint64_t> decoded = ReadBands(written, cube, *array, GetParam());
    EXPECT_EQ(decoded[0], cube.layer);
    EXPECT_EQ(decoded[1], cube.layer);
    for (std::size_t band = 2; band < decoded.size(); ++band)
        EXPECT_EQ(decoded[band], cube.layer / 2) << "band " << band;
}

struct Format {
    const char* compressor;
    const char* name;
};
class Windows : public testing::TestWithParam<Format> {};
INSTANTIATE_TEST_SUITE_P(Codecs, Windows,
                         testing::Values(Format{kZlib, "zlib"}, Format{kStayingBlosc, "blosc"},
                                         Format{R"({"id": "blosc", "cname": "lz4"})", "blosc_lz4"},
                                         Format{"null", "none"}),
                         [](const auto& with) { return std::string(with.param.name); });

TEST_P(Windows, AreEqualOnAnyNumberOfThreads) {
    constexpr std::uint64_t kSeed = 94;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    SampleSpec spec;
    spec.shape = {740, 700};
    spec.chunks = {256, 260};
    spec.compressor = GetParam().compressor;
    const WrittenArray written(random, spec);
    const std::size_t chunk = std::size_t{256} * 260 * 4 + sizeof(DecodedChunk);
    for (int i = 0; i < 24; ++i) {
        Region window;  // 1 to 3 chunks along each dimension
        for (std::size_t axis = 0; axis < 2; ++axis) {
            const std::uint64_t chunks = 1 + (axis == 0 ? i % 3 : i / 3 % 3);
            const std::uint64_t first = random.Below(4 - chunks) * spec.chunks[axis];
            const std::uint64_t end =
                std::min(first + chunks * spec.chunks[axis], spec.shape[axis]);
            const std::uint64_t trim = i % 4 == 0 ? 1 : 1 + random.Below(150);
            const std::uint64_t start = first + random.Below(trim);
            window.start.push_back(start);
            window.count.push_back(end - random.Below(trim) - start);
            window.step.push_back(1);
        }
        const std::string expected = written.Expected(window);
        // Sizes of the cache in bytes: room for no chunk, for three chunks, and for all chunks.
        for (const std::size_t cache_bytes : {std::size_t{0}, 3 * chunk, 100 * chunk}) {
            for (const std::size_t threads : {1U, 2U, 16U}) {
                const auto array = written.Open(cache_bytes);
                // Later rounds read from the cache, if it has room.
                for (int round = 0; round < 3; ++round) {
                    const auto read = ReadRowMajor(*array, window, threads);
                    ASSERT_TRUE(Succeeds(read));
                    ASSERT_TRUE(*read == expected)
                        << "window " << i << ", cache " << cache_bytes << ", " << threads
                        << " threads, round " << round;
                }
                if (cache_bytes < 100 * chunk) continue;
                ASSERT_TRUE(Succeeds(array->Preload(window, threads)));
                const std::uint64_t before = array->context().counters().chunks_decoded;
                const auto read = ReadRowMajor(*array, window, threads);
                ASSERT_TRUE(Succeeds(read));
                ASSERT_TRUE(*read == expected) << "window " << i << ", all of it cached";
                EXPECT_EQ(array->context().counters().chunks_decoded, before);
            }
        }
    }
}

}  // namespace
}  // namespace zarr::test
