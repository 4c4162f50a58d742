// SPDX-License-Identifier: MIT
// Tests of blosc frames with many blocks, which several threads decode together.
#include <gtest/gtest.h>

#include <atomic>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/guarded_decoder.h"
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/codec/pipeline.h"

namespace zarr::test {
namespace {

constexpr std::size_t kHeader = 16;
// Decoded size of a chunk in bytes, large enough for five blocks in every frame.
constexpr std::size_t kSize = 299880;

struct FrameSpec {
    std::string compressor = "lz4";
    int level = 5;
    int shuffle = 1;
    std::size_t type_size = 4;
    std::size_t block_size = 0;  // in bytes; 0: the library chooses
};

// Returns a pipeline with the codec blosc only. Chunks have `size` bytes.
Result<Pipeline> Bind(const FrameSpec& spec, std::size_t size) {
    const json::Value config =
        Json(R"({"id": "blosc", "cname": ")" + spec.compressor + R"(", "clevel": )" +
             std::to_string(spec.level) + R"(, "shuffle": )" + std::to_string(spec.shuffle) +
             R"(, "typesize": )" + std::to_string(spec.type_size) + R"(, "blocksize": )" +
             std::to_string(spec.block_size) + "}");
    CodecContext context;
    context.dtype = *ParseTypestr("|u1");
    context.chunk_shape = {size};
    return BindJson(config, context);
}

std::string Encoded(const Pipeline& pipeline, const std::string& contents) {
    PipelineScratch scratch;
    const auto encoded = pipeline.Encode(ByteSpan(contents), scratch);
    EXPECT_TRUE(Succeeds(encoded));
    return encoded.ok() ? std::string(encoded->text()) : std::string();
}

std::size_t BlockSize(const std::string& frame) {
    std::size_t value = 0;
    for (std::size_t i = 12; i-- > 8;) value = value << 8 | static_cast<std::uint8_t>(frame[i]);
    return value;
}
bool IsStoredAsIs(const std::string& frame) { return (frame[2] & 2) != 0; }

void CheckEqual(const FrameSpec& spec, const std::string& contents) {
    const auto pipeline = Bind(spec, contents.size());
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string encoded = Encoded(*pipeline, contents);
    GuardedDecoder decoder;
    for (const std::size_t threads : kThreads) {
        ASSERT_TRUE(Succeeds(decoder.Decode(*pipeline, encoded, threads))) << threads;
        ASSERT_TRUE(decoder.decoded(*pipeline) == contents)
            << threads << " threads, " << contents.size() << " bytes of " << spec.type_size
            << ", blocks of " << BlockSize(encoded);
    }
}

class BloscThreads : public testing::TestWithParam<std::tuple<const char*, int>> {
  protected:
    FrameSpec Spec() const {
        FrameSpec spec;
        std::tie(spec.compressor, spec.shuffle) = GetParam();
        return spec;
    }
};
INSTANTIATE_TEST_SUITE_P(Formats, BloscThreads,
                         testing::Combine(testing::Values("blosclz", "lz4", "lz4hc", "zlib",
                                                          "zstd"),
                                          testing::Values(0, 1, 2)),
                         [](const auto& with) {
                             return std::string(std::get<0>(with.param)) + "_shuffle" +
                                    std::to_string(std::get<1>(with.param));
                         });

// A frame must have several blocks. Otherwise the other tests would decode with one thread only.
TEST_P(BloscThreads, HaveBlocksToShare) {
    Random random(80);
    FrameSpec spec = Spec();
    spec.block_size = 4096;
    const std::string encoded = Encoded(*Bind(spec, kSize), Compressible(random, kSize));
    EXPECT_FALSE(IsStoredAsIs(encoded));
    EXPECT_LE(BlockSize(encoded), std::size_t{1} << 16);
}

TEST_P(BloscThreads, DecodeLikeOneThread) {
    Random random(81);
    for (const std::size_t type_size : {1U, 4U, 7U, 8U, 255U}) {
        FrameSpec spec = Spec();
        spec.type_size = type_size;
        spec.block_size = 4096;
        // The chunk sizes range from a part of one block to many blocks, with whole, partial and
        // tiny last blocks. Some sizes are not a multiple of the element size.
        for (const std::size_t size :
             {std::size_t{1}, std::size_t{100}, std::size_t{4096}, std::size_t{8400},
              std::size_t{65536}, std::size_t{131073}, std::size_t{262144}, kSize, kSize + 1})
            CheckEqual(spec, Compressible(random, size));
    }
}

TEST_P(BloscThreads, DecodeDefaultBlocksLikeOneThread) {
    Random random(82);
    FrameSpec spec = Spec();
    for (spec.level = 1; spec.level <= 9; spec.level += 4)
        CheckEqual(spec, Compressible(random, spec.level == 5 ? 1500000 : 1000003));
}

TEST_P(BloscThreads, DecodeStoredFrames) {
    Random random(83);
    FrameSpec spec = Spec();
    spec.block_size = 4096;
    for (const int level : {0, 9}) {
        spec.level = level;
        for (const std::size_t size : {40U, 4096U, 40963U, 300000U}) {
            const std::string contents = random.Bytes(size);
            CheckEqual(spec, contents);
            const auto pipeline = Bind(spec, size);
            std::string encoded = Encoded(*pipeline, contents);
            if (level == 0) {
                ASSERT_TRUE(IsStoredAsIs(encoded));
            }
            if (!IsStoredAsIs(encoded)) continue;
            // Bytes 8 to 11 of the header are the block size. A frame without compression can be
            // decoded with any block size, here 4096.
            encoded.replace(8, 4, std::string("\0\x10\0\0", 4));
            GuardedDecoder decoder;
            for (const std::size_t threads : kThreads) {
                if (size < 4096) continue;
                ASSERT_TRUE(Succeeds(decoder.Decode(*pipeline, encoded, threads))) << threads;
                ASSERT_TRUE(decoder.decoded(*pipeline) == contents) << threads << " threads";
            }
        }
    }
}

TEST_P(BloscThreads, RefuseTruncatedFrames) {
    constexpr std::uint64_t kSeed = 84;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    FrameSpec spec = Spec();
    spec.block_size = 4096;
    for (const int level : {0, 5}) {
        spec.level = level;
        const auto pipeline = Bind(spec, kSize);
        const std::string encoded = Encoded(*pipeline, Compressible(random, kSize));
        GuardedDecoder decoder;
        for (int i = 0; i < 32; ++i) {
            const std::size_t size = i < 20 ? static_cast<std::size_t>(i)
                                            : encoded.size() - 1 - random.Below(encoded.size());
            for (const std::size_t threads : kThreads) {
                const Status status = decoder.Decode(*pipeline, encoded.substr(0, size), threads);
                ASSERT_TRUE(Fails(status, StatusCode::kCorrupt)) << size << ", " << threads;
            }
            // The header now states the truncated size, so only the blocks show that the frame is
            // truncated.
            if (size < kHeader) continue;
            std::string shorter = encoded.substr(0, size);
            for (std::size_t b = 0; b < 4; ++b)
                shorter[12 + b] = static_cast<char>(size >> (8 * b) & 0xff);
            for (const std::size_t threads : kThreads)
                ASSERT_FALSE(decoder.Decode(*pipeline, shorter, threads).ok())
                    << size << ", " << threads;
        }
    }
}

// A damaged frame may give an error or wrong elements, but the same result with any number of
// threads.
TEST_P(BloscThreads, SurviveDamagedFrames) {
    constexpr std::uint64_t kSeed = 85;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    FrameSpec spec = Spec();
    spec.block_size = 4096;
    const auto pipeline = Bind(spec, kSize);
    const std::string encoded = Encoded(*pipeline, Compressible(random, kSize));
    GuardedDecoder alone;
    GuardedDecoder shared;
    for (int i = 0; i < 90; ++i) {
        std::string wrong = encoded;
        // Damages random bytes in the header, in the header and the block offsets, or anywhere in
        // the frame.
        const std::size_t reach = i % 3 == 0   ? kHeader
                                  : i % 3 == 1 ? kHeader + 4 * (kSize / BlockSize(encoded) + 1)
                                               : wrong.size();
        for (int n = 0; n <= i % 4; ++n)
            wrong[random.Below(reach)] = static_cast<char>(random.Below(256));
        const Status status = alone.Decode(*pipeline, wrong, 1);
        for (const std::size_t threads : {2U, 4U}) {
            const Status other = shared.Decode(*pipeline, wrong, threads);
            ASSERT_EQ(other.ok(), status.ok())
                << i << ": " << (status.ok() ? other : status).message();
            if (status.ok()) {
                ASSERT_TRUE(shared.decoded(*pipeline) == alone.decoded(*pipeline)) << i;
            }
        }
    }
}

// Returns the frame with its blocks in random order. Encoders with several threads may write blocks
// in any order.
std::string Shuffled(Random& random, const std::string& frame, std::size_t decoded_size) {
    const std::size_t count = (decoded_size + BlockSize(frame) - 1) / BlockSize(frame);
    std::vector<std::size_t> begins;
    for (std::size_t i = 0; i < count; ++i)
        begins.push_back(
            LoadLittle32(reinterpret_cast<const std::uint8_t*>(frame.data()) + kHeader + 4 * i));
    begins.push_back(frame.size());
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < count; ++i)
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(random.Below(i + 1)), i);
    std::string shuffled = frame.substr(0, kHeader + 4 * count);
    for (const std::size_t block : order) {
        StoreLittle32(reinterpret_cast<std::uint8_t*>(shuffled.data()) + kHeader + 4 * block,
                      static_cast<std::uint32_t>(shuffled.size()));
        shuffled += frame.substr(begins[block], begins[block + 1] - begins[block]);
    }
    return shuffled;
}

TEST_P(BloscThreads, DecodeBlocksInAnyOrder) {
    Random random(89);
    FrameSpec spec = Spec();
    spec.block_size = 4096;
    for (const std::size_t size : {kSize, kSize + 1, std::size_t{1200000}}) {
        const std::string contents = Compressible(random, size);
        const auto pipeline = Bind(spec, size);
        const std::string encoded = Encoded(*pipeline, contents);
        if (IsStoredAsIs(encoded)) continue;  // blosclz cannot compress bit-shuffled elements
        GuardedDecoder decoder;
        for (int i = 0; i < 2; ++i) {
            const std::string shuffled = Shuffled(random, encoded, size);
            ASSERT_EQ(shuffled.size(), encoded.size());
            ASSERT_NE(shuffled, encoded);
            for (const std::size_t threads : kThreads) {
                ASSERT_TRUE(Succeeds(decoder.Decode(*pipeline, shuffled, threads))) << threads;
                ASSERT_TRUE(decoder.decoded(*pipeline) == contents) << threads << " threads";
            }
        }
    }
}

TEST(BloscFrames, RefuseChunksOfOtherSizes) {
    Random random(86);
    FrameSpec spec;
    spec.compressor = "zstd";
    spec.block_size = 4096;
    const std::string encoded = Encoded(*Bind(spec, 40000), Compressible(random, 40000));
    GuardedDecoder decoder;
    for (const std::size_t size : {0U, 1U, 4096U, 39999U, 40001U, 100000U})
        for (const std::size_t threads : kThreads)
            EXPECT_TRUE(
                Fails(decoder.Decode(*Bind(spec, size), encoded, threads), StatusCode::kCorrupt))
                << size << ", " << threads;
}

// A frame with the reserved flag must be rejected, however much of it is decoded. The blosc library
// checks the flag only if it decodes all blocks.
TEST(BloscFrames, RefuseTheReservedFlag) {
    Random random(88);
    FrameSpec spec;
    spec.compressor = "zstd";
    spec.block_size = 4096;
    for (spec.level = 0; spec.level <= 5; spec.level += 5) {
        const auto pipeline = Bind(spec, 40000);
        std::string encoded = Encoded(*pipeline, Compressible(random, 40000));
        encoded.replace(8, 4, std::string("\0\x10\0\0", 4));
        encoded[2] = static_cast<char>(encoded[2] | 8);
        GuardedDecoder decoder;
        for (const std::size_t threads : kThreads)
            EXPECT_TRUE(
                Fails(decoder.Decode(*pipeline, encoded, threads), StatusCode::kCorrupt, "damaged"))
                << threads;
        Buffer part = BufferOf(std::string(40000, '\0'));
        EXPECT_TRUE(Fails(pipeline->DecodeRanges(ByteSpan(encoded), {{0, 10}}, part.span()),
                          StatusCode::kCorrupt, "damaged"));
    }
}

TEST(BloscFrames, DecodeForManyCallersAtOnce) {
    Random random(87);
    FrameSpec spec;
    spec.compressor = "zstd";
    spec.block_size = 4096;
    const std::string contents = Compressible(random, 100000);
    const auto pipeline = Bind(spec, contents.size());
    const std::string encoded = Encoded(*pipeline, contents);
    std::atomic<int> wrong{0};
    std::vector<std::thread> callers;
    for (std::size_t t = 0; t < 6; ++t)
        callers.emplace_back([&, t] {
            GuardedDecoder decoder;
            for (int i = 0; i < 40; ++i)
                if (!decoder.Decode(*pipeline, encoded, 1 + t).ok() ||
                    decoder.decoded(*pipeline) != contents)
                    ++wrong;
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace zarr::test
