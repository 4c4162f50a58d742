// SPDX-License-Identifier: MIT
// Tests that a read of a small part of a large chunk decodes only this part.
#include <gtest/gtest.h>

#include <cstring>

#include "autotest/cpp/array/written_array.h"

namespace zarr::test {
namespace {

constexpr std::size_t kRangesCache = std::size_t{64} << 20;
constexpr const char* kBlosc = R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1})";

SampleSpec Large(const char* compressor) {
    SampleSpec spec;
    spec.shape = {700, 900};
    spec.chunks = {512, 512};
    spec.compressor = compressor;
    return spec;
}

Region Pixel(std::uint64_t y, std::uint64_t x) { return {{y, x}, {1, 1}, {1, 1}}; }

TEST(ChunkRanges, BloscDecodesTheBlocksOfAPixel) {
    Random random(31);
    const WrittenArray sample(random, Large(kBlosc));
    const std::uint64_t chunk = 512 * 512 * 4;
    EXPECT_EQ(*ReadRowMajor(*sample.array, Pixel(3, 4), 1), sample.Expected(Pixel(3, 4)));
    EXPECT_GT(sample.decoded(), 0U);
    EXPECT_LE(sample.decoded(), chunk / 2);
    // The chunk has been read once, so the first read of the loop decodes and caches the whole
    // chunk. Later reads decode nothing.
    const std::uint64_t before = sample.decoded();
    for (std::uint64_t x = 5; x < 50; ++x)
        EXPECT_EQ(*ReadRowMajor(*sample.array, Pixel(400, x), 1), sample.Expected(Pixel(400, x)));
    EXPECT_EQ(sample.decoded() - before, chunk);
}

TEST(ChunkRanges, OnlyTheRangeOfAnUncompressedChunkIsRead) {
    Random random(32);
    const WrittenArray sample(random, Large("null"));
    EXPECT_EQ(*ReadRowMajor(*sample.array, Pixel(3, 600), 1), sample.Expected(Pixel(3, 600)));
    EXPECT_EQ(sample.read(), 4U);
    const Region row{{699, 511}, {1, 3}, {1, 1}};  // the row needs two chunks
    EXPECT_EQ(*ReadRowMajor(*sample.array, row, 1), sample.Expected(row));
    EXPECT_EQ(sample.read(), 4U + 3 * 4);
}

TEST(ChunkRanges, OtherCodecsDecodeTheChunk) {
    Random random(33);
    const WrittenArray sample(random, Large(R"({"id": "zlib"})"));
    EXPECT_EQ(*ReadRowMajor(*sample.array, Pixel(3, 4), 1), sample.Expected(Pixel(3, 4)));
    EXPECT_EQ(sample.decoded(), 512U * 512 * 4);
}

// A caller reads the bands of a cube in order, with read-ahead. The array recognises this order in
// the first layer of chunks. In later layers, each chunk must be decoded only once.
TEST(ChunkRanges, SequentialReadsDecodeEachChunkOnce) {
    Random random(35);
    SampleSpec spec;
    spec.shape = {96, 200, 200};
    spec.chunks = {32, 128, 128};
    spec.compressor = kBlosc;
    const WrittenArray sample(random, spec);
    const std::uint64_t all = std::uint64_t{96} * 256 * 256 * 4;
    const auto read = [&](std::uint64_t band) {
        const Region region{{band, 0, 0}, {1, 200, 200}, {1, 1, 1}};
        ReadOptions options;
        options.looks_ahead = true;
        EXPECT_EQ(*ReadRowMajor(*sample.array, region, options), sample.Expected(region)) << band;
    };
    for (std::uint64_t band = 0; band < 32; ++band) read(band);
    EXPECT_GT(sample.decoded(), all / 3) << "the first band was not known to be one of many";
    const std::uint64_t before = sample.decoded();
    for (std::uint64_t band = 32; band < 96; ++band) read(band);
    EXPECT_EQ(sample.decoded() - before, all / 3 * 2);
}

// The chunk is larger than the cache. Reading a small part must not decode the whole chunk.
TEST(ChunkRanges, OnlyPartsOfOversizedChunksAreDecoded) {
    Random random(36);
    const WrittenArray sample(random, Large(kBlosc));
    const auto array = sample.Open(1000);
    const std::uint64_t chunk = 512 * 512 * 4;
    for (std::uint64_t x = 5; x < 25; ++x)
        EXPECT_EQ(*ReadRowMajor(*array, Pixel(400, x), 1), sample.Expected(Pixel(400, x)));
    EXPECT_LE(array->counters().bytes_decoded.load(), 10 * chunk)
        << "half of it at most, each time";
}

TEST(ChunkRanges, GiveTheElementsOfRandomRegions) {
    Random random(34);
    for (int round = 0; round < 24; ++round) {
        SampleSpec spec;
        spec.shape = {1 + random.Below(20), 100 + random.Below(300), 100 + random.Below(300)};
        spec.chunks = {1 + random.Below(20), 90 + random.Below(200), 90 + random.Below(200)};
        spec.dtype = random.Chance() ? "\"<f8\"" : "\"<i2\"";
        spec.fill_value = "0";
        spec.compressor = random.Chance() ? kBlosc : "null";
        spec.fortran_order = random.Chance();
        const WrittenArray sample(random, spec);
        for (int i = 0; i < 30; ++i) {
            Region region = RandomRegion(random, spec.shape);
            for (std::size_t axis = 0; axis < 3; ++axis)
                if (random.Below(3) != 0)
                    region.count[axis] = std::min<std::uint64_t>(region.count[axis], 3);
            if (region.size() == 0) continue;
            // A newly opened array has no cached chunks, so each read is the first read of its
            // chunks.
            const auto array = sample.Open(kRangesCache);
            const auto read = ReadRowMajor(*array, region, 1 + random.Below(2));
            ASSERT_TRUE(Succeeds(read)) << spec.Text();
            ASSERT_TRUE(*read == sample.Expected(region)) << spec.Text() << "\nround " << round;
        }
    }
}

TEST(ChunkRanges, AbsentChunksAreFilled) {
    Random random(35);
    for (const char* compressor : {kBlosc, "null"}) {
        const WrittenArray sample(random, Large(compressor));
        ASSERT_TRUE(Succeeds(sample.store->Erase("dem/0.0")));
        const auto read = ReadRowMajor(*sample.array, Pixel(3, 4), 1);
        ASSERT_TRUE(Succeeds(read));
        EXPECT_EQ(*read, std::string("\x07\0\0\0", 4));
    }
}

TEST(ChunkRanges, DamagedChunksAreErrors) {
    Random random(36);
    for (const char* compressor : {kBlosc, "null"}) {
        const WrittenArray sample(random, Large(compressor));
        Buffer value;
        ASSERT_TRUE(*sample.store->Get("dem/1.1", value, kNoLimit));
        const std::string whole(const_cast<const Buffer&>(value).span().text());
        for (int i = 0; i < 60; ++i) {
            const std::string cut =
                whole.substr(0, random.Below(std::min<std::size_t>(whole.size(), 180 * 512 * 4)));
            ASSERT_TRUE(Succeeds(sample.store->Set("dem/1.1", ByteSpan(cut))));
            const auto array = sample.Open(kRangesCache);
            const auto read = ReadRowMajor(*array, Pixel(699, 899), 1);
            ASSERT_FALSE(read.ok()) << cut.size();
            EXPECT_NE(read.status().message().find("dem/1.1"), std::string::npos);
        }
    }
}

// A damaged chunk may give an error or wrong elements, but never an invalid memory access, which
// sanitizers would report.
TEST(ChunkRanges, SurviveDamagedChunks) {
    Random random(37);
    const WrittenArray sample(random, Large(kBlosc));
    Buffer value;
    ASSERT_TRUE(*sample.store->Get("dem/0.0", value, kNoLimit));
    const std::string whole(const_cast<const Buffer&>(value).span().text());
    for (int i = 0; i < 400; ++i) {
        std::string wrong = whole;
        // Damages random bytes in the header, in the header and the block offsets, or anywhere in
        // the chunk.
        const std::size_t reach = i % 3 == 0 ? 16 : i % 3 == 1 ? 200 : wrong.size();
        for (int n = 0; n < 1 + i % 4; ++n)
            wrong[random.Below(reach)] = static_cast<char>(random.Below(256));
        ASSERT_TRUE(Succeeds(sample.store->Set("dem/0.0", ByteSpan(wrong))));
        const auto array = sample.Open(kRangesCache);
        static_cast<void>(ReadRowMajor(*array, Pixel(random.Below(512), random.Below(512)), 1));
    }
}

}  // namespace
}  // namespace zarr::test
