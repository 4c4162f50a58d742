// SPDX-License-Identifier: MIT
// Reads and writes arrays with a rectilinear chunk grid, and compares each element with a model in
// memory.
#include <algorithm>
#include <numeric>
#include <thread>

#include "autotest/cpp/array/uneven_array.h"
#include "core/array/chunk_layout.h"
#include "core/base/tuning.h"
#include "core/grid/chunk_grid.h"

namespace zarr::test {
namespace {

std::vector<Sizes> RandomSizes(Random& random, const Sizes& shape) {
    std::vector<Sizes> sizes;
    for (const std::uint64_t length : shape) {
        Sizes& along = sizes.emplace_back();
        if (random.Below(4) == 0) continue;
        const std::uint64_t most = 1 + random.Below(length);
        for (std::uint64_t sum = 0; sum < length; sum += along.back())
            along.push_back(1 + random.Below(most));
        if (random.Below(4) == 0) along.push_back(5);  // a chunk beyond the end of the array
    }
    return sizes;
}

constexpr std::size_t kRoom = std::size_t{1} << 24;

std::vector<SampleSpec> UnevenSpecs() {
    std::vector<SampleSpec> specs;
    const std::string blosc =
        R"({"id": "blosc", "cname": "lz4", "clevel": 1, "shuffle": 1, "blocksize": 0})";
    for (const std::string& compressor : {std::string("null"), blosc}) {
        for (const bool fortran : {false, true}) {
            SampleSpec spec{{17, 9, 11}, {4, 3, 5}, "\">i2\""};
            spec.compressor = compressor;
            spec.fortran_order = fortran;
            specs.push_back(spec);
        }
    }
    specs.push_back({{200}, {7}, "\"<f8\"", "null"});
    specs.push_back({{30, 40}, {7, 9}, "\"|u1\"", "3", R"({"id": "zlib", "level": 1})"});
    specs.push_back(
        {{20, 20}, {6, 5}, "\"<i4\"", "-1", "null", R"([{"id": "delta", "dtype": "<i4"}])"});
    return specs;
}

TEST(Rectilinear, WrittenElementsAreReadBack) {
    Random random(5);
    for (const SampleSpec& spec : UnevenSpecs()) {
        for (int round = 0; round < 6; ++round) {
            const std::size_t pending_bytes = round % 3 == 0 ? 0 : round % 3 == 1 ? 500 : kRoom;
            Uneven uneven(spec, RandomSizes(random, spec.shape), pending_bytes, pending_bytes);
            for (int i = 0; i < 30; ++i) {
                const Region written = RandomRegion(random, spec.shape);
                ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, written, 1 + i % 3)));
                ASSERT_NO_FATAL_FAILURE(uneven.CheckRead(
                    *uneven.array, RandomRegion(random, spec.shape), 1 + (i + 1) % 3));
                if (i % 7 != 0) continue;
                ASSERT_TRUE(Succeeds(uneven.writer->Flush(2)));
                const auto other = uneven.Open(pending_bytes);
                ASSERT_NO_FATAL_FAILURE(
                    uneven.CheckRead(*other, RandomRegion(random, spec.shape), 2));
            }
            ASSERT_TRUE(Succeeds(uneven.writer->Flush(2)));
            const Region all = Region::All(spec.shape);
            for (const std::size_t cache_bytes : {std::size_t{0}, kRoom})
                uneven.CheckRead(*uneven.Open(cache_bytes), all, 3);
            uneven.CheckRead(*uneven.array, all, 1);
        }
    }
}

TEST(Rectilinear, AChunkIsStoredInTheSizeOfItsEdges) {
    Random random(6);
    // The array has 9 columns: it ends within the third chunk of a row. The fourth chunk lies
    // outside of the array.
    Uneven uneven({{6, 9}, {1, 1}, "\"|u1\"", "46"}, {{1, 2, 3}, {4, 2, 5, 7}}, kRoom, kRoom);
    const Region all = Region::All({6, 9});
    ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, all, 2)));
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(1)));
    const Sizes rows = {1, 2, 3};
    const Sizes columns = {4, 2, 5};
    Buffer value;
    for (std::uint64_t y = 0; y < 3; ++y)
        for (std::uint64_t x = 0; x < 3; ++x) {
            ASSERT_TRUE(*uneven.store->Get(ChunkKey("dem", {y, x}, '.'), value, kNoLimit));
            EXPECT_EQ(value.size(), rows[y] * columns[x]);
        }
    EXPECT_EQ(uneven.array->chunk_count(), 9U);
    EXPECT_EQ(uneven.store->List("dem")->size(), 9U);
    EXPECT_EQ(uneven.array->metadata().chunks, (Sizes{3, 5}));
    EXPECT_EQ(TextOf(value).substr(3, 2), "..") << "what overhangs holds the fill value";
    const std::string first_row = TextOf(value).substr(0, 3);
    EXPECT_EQ(first_row, uneven.Expected({{3, 6}, {1, 3}, {1, 1}}));
}

TEST(Rectilinear, AChunkOfAnotherSizeIsDamaged) {
    Uneven uneven({{6}, {1}, "\"|u1\"", "46"}, {{1, 2, 3}}, 0, 0);
    ASSERT_TRUE(Succeeds(uneven.store->Set("dem/1", ByteSpan(std::string_view("abc")))));
    EXPECT_TRUE(Fails(ReadRowMajor(*uneven.array, Region::All({6}), 1), StatusCode::kCorrupt,
                      "dem/1: chunk [1]: "));
    ASSERT_TRUE(Succeeds(uneven.store->Set("dem/1", ByteSpan(std::string_view("ab")))));
    EXPECT_EQ(*ReadRowMajor(*uneven.Open(0), Region::All({6}), 1), ".ab...");
}

TEST(Rectilinear, WholeChunksAreStoredAtOnceAndRowsWhenComplete) {
    Uneven uneven({{6, 4}, {1, 4}, "\"|u1\"", "46"}, {{1, 2, 3}, {}}, kRoom, kRoom);
    Random random(7);
    const auto write = [&](std::uint64_t first, std::uint64_t count) {
        ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, {{first, 0}, {count, 4}, {1, 1}}, 1)));
    };
    write(0, 3);
    EXPECT_EQ(uneven.array->pending().count(), 0U);
    EXPECT_EQ(uneven.array->write_counters().chunks_written, 2U);
    write(3, 2);
    EXPECT_EQ(uneven.array->pending().count(), 1U);
    write(5, 1);
    EXPECT_EQ(uneven.array->pending().count(), 0U);
    EXPECT_EQ(uneven.array->write_counters().chunks_written, 3U);
    uneven.CheckRead(*uneven.Open(0), Region::All({6, 4}), 1);
}

TEST(Rectilinear, DecodedBytesOfARegionAreThoseOfItsChunks) {
    const Uneven uneven({{100, 10}, {1, 4}, "\"<i4\"", "0"}, {{10, 1, 1, 1, 60, 27}, {}}, 0, 0);
    const auto bytes = [&](std::uint64_t start, std::uint64_t count, std::int64_t step) {
        return uneven.array->DecodedBytes({{start, 0}, {count, 1}, {step, 1}}) / (4 * 4);
    };
    EXPECT_EQ(bytes(0, 100, 1), 100U);
    EXPECT_EQ(bytes(99, 100, -1), 100U);
    EXPECT_EQ(bytes(10, 2, 1), 2U);
    EXPECT_EQ(bytes(12, 2, 1), 61U);
    EXPECT_EQ(bytes(0, 2, 50), 70U);
    EXPECT_EQ(bytes(0, 0, 1), 0U);
}

// A read of a small part of an uncompressed or blosc chunk must not decode the whole chunk.
TEST(Rectilinear, SmallPartsOfLargeChunksAreRead) {
    Random random(8);
    for (const char* compressor : {"null", R"({"id": "blosc", "cname": "lz4", "clevel": 1})"}) {
        SampleSpec spec{{700, 700}, {1, 1}, "\"<i4\"", "0", compressor};
        Uneven uneven(spec, {{5, 600, 95}, {300, 1, 399}}, 0, 0);
        ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, Region::All(spec.shape), 2)));
        const auto array = uneven.Open(kRoom);
        for (int i = 0; i < 40; ++i)
            uneven.CheckRead(*array, {{random.Below(690), random.Below(690)}, {10, 10}, {1, 1}},
                             1 + i % 2);
        EXPECT_LT(array->counters().bytes_decoded, std::uint64_t{700} * 700 * 4 * 3);
    }
}

TEST(Rectilinear, MoreShapesThanAreCached) {
    Sizes sizes;
    for (std::uint64_t size = 1; size <= 66; ++size) sizes.push_back(size);
    const std::uint64_t length = std::accumulate(sizes.begin(), sizes.end(), std::uint64_t{0});
    ASSERT_GT(sizes.size() * sizes.size(), tuning::kBoundShapes);
    Random random(9);
    Uneven uneven({{length, length}, {1, 1}, "\"|u1\"", "0"}, {sizes, sizes}, 0, 0);
    const Region all = Region::All({length, length});
    ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, all, 2)));
    const auto array = uneven.Open(0);
    for (int i = 0; i < 2; ++i) {
        const auto elements = ReadRowMajor(*array, all, 3);
        ASSERT_TRUE(Succeeds(elements));
        ASSERT_TRUE(*elements == uneven.model);
    }
}

TEST(Rectilinear, ThreadsReadAndWriteOneArray) {
    Random random(10);
    Uneven uneven({{60, 60}, {1, 1}, "\"<i2\"", "0", R"({"id": "zlib", "level": 1})"},
                  {{1, 2, 3, 4, 5, 6, 7, 8, 9, 15}, {30, 1, 12, 8, 9}}, 3000, 3000);
    ASSERT_TRUE(Succeeds(uneven.WriteRandom(random, Region::All({60, 60}), 2)));
    // Each thread writes rows of its own. A chunk has rows of several threads.
    constexpr std::size_t kThreads = 4;
    std::vector<std::thread> threads;
    std::vector<std::string> rows(60);
    for (std::size_t t = 0; t < kThreads; ++t)
        threads.emplace_back([&, t] {
            Random own(t);
            for (int i = 0; i < 60; ++i) {
                const std::uint64_t row = own.Below(15) * kThreads + t;
                rows[row] = own.Bytes(120);
                const Source source{reinterpret_cast<const std::uint8_t*>(rows[row].data()),
                                    {120, 2},
                                    CopyConverter(2)};
                const Region region{{row, 0}, {1, 60}, {1, 1}};
                EXPECT_TRUE(Succeeds(uneven.writer->Write(region, 0, source, 1 + t % 2)));
                const auto read = ReadRowMajor(*uneven.array, region, 2);
                EXPECT_TRUE(read.ok() && *read == rows[row]);
            }
        });
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(Succeeds(uneven.writer->Flush(2)));
    for (std::size_t row = 0; row < rows.size(); ++row)
        if (!rows[row].empty()) uneven.model.replace(row * 120, 120, rows[row]);
    uneven.CheckRead(*uneven.Open(0), Region::All({60, 60}), 2);
}

TEST(Rectilinear, Objects) {
    SampleSpec spec{{5, 6}, {1, 1}, "\"|O\"", "\"\""};
    spec.filters = R"([{"id": "vlen-utf8"}])";
    for (const bool fortran : {false, true}) {
        spec.fortran_order = fortran;
        const ArrayMetadata metadata = Rectilinear(spec, {{1, 4}, {2, 3, 2}});
        const auto store = std::make_shared<MemoryStore>();
        const auto open = [&] {
            return Array::Open(store, "dem", metadata, std::make_shared<ArrayContext>(kRoom))
                .Take();
        };
        const auto array = open();
        auto writer = ArrayWriter::Open(array, store, kRoom);
        ASSERT_TRUE(Succeeds(writer));
        std::vector<std::string> texts;
        for (int i = 0; i < 30; ++i) texts.push_back("text " + std::to_string(i));
        ASSERT_TRUE(Succeeds((*writer)->WriteObjects(Region::All(spec.shape), texts, 2)));
        const Region part{{3, 5}, {2, 3}, {-1, -2}};
        texts[3 * 6 + 3] = "changed";
        ASSERT_TRUE(Succeeds((*writer)->WriteObjects({{3, 3}, {1, 1}, {1, 1}}, {"changed"}, 1)));
        ASSERT_TRUE(Succeeds((*writer)->Flush(1)));
        EXPECT_EQ(*open()->ReadObjects(Region::All(spec.shape), 2), texts);
        EXPECT_EQ(*open()->ReadObjects(part, 1),
                  (std::vector<std::string>{texts[23], texts[21], texts[19], texts[17], texts[15],
                                            texts[13]}));
    }
}

TEST(Rectilinear, ChunksInShardsAreRegular) {
    ArrayMetadata metadata = Rectilinear({{10}, {2}, "\"|u1\"", "46"}, {{2, 6, 4}});
    metadata.chunks = {2};
    metadata.shards.emplace_back().shape = {6};
    EXPECT_EQ(metadata.ChunkAxis(0).count(), 5U);
    EXPECT_EQ(metadata.ChunkAxis(0).SizeOf(1), 2U);
    EXPECT_EQ(metadata.StoredAxis(0).count(), 3U);
    EXPECT_EQ(metadata.StoredAxis(0).StartOf(2), 8U);
    EXPECT_EQ(metadata.StoredAxis(0).SizeOf(1), 6U);
    metadata.edges.clear();
    EXPECT_EQ(metadata.StoredAxis(0).count(), 2U);
}

}  // namespace
}  // namespace zarr::test
