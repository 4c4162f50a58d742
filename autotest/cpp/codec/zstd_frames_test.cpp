// SPDX-License-Identifier: MIT
// Tests of chunks with several Zstandard frames, which several threads decode together.
#include <gtest/gtest.h>
#include <zstd.h>

#include <string>
#include <vector>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/guarded_decoder.h"
#include "autotest/cpp/support/checks.h"

namespace zarr::test {
namespace {

Result<Pipeline> Bind(std::size_t size) {
    CodecContext context;
    context.dtype = *ParseTypestr("|u1");
    context.chunk_shape = {size};
    return BindJson(Json(R"({"id": "zstd"})"), context);
}

// Returns a Zstandard frame with a checksum. If `says_size` is true, its header has the decoded
// size.
std::string Frame(const std::string& contents, bool says_size = true) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, says_size ? 1 : 0);
    std::string frame(ZSTD_compressBound(contents.size()), '\0');
    frame.resize(
        ZSTD_compress2(context, frame.data(), frame.size(), contents.data(), contents.size()));
    ZSTD_freeCCtx(context);
    return frame;
}

// Returns a skippable Zstandard frame (RFC 8878, 3.1.2).
std::string SkippableFrame(const std::string& contents) {
    std::string frame("\x53\x2a\x4d\x18", 4);
    frame += std::string({static_cast<char>(contents.size()), '\0', '\0', '\0'});
    return frame + contents;
}

struct Chunk {
    std::string contents;
    std::string encoded;

    void Add(const std::string& part, bool says_size = true) {
        contents += part;
        encoded += Frame(part, says_size);
    }
};

void ExpectDecoded(const Chunk& chunk) {
    const auto pipeline = Bind(chunk.contents.size());
    ASSERT_TRUE(Succeeds(pipeline));
    GuardedDecoder decoder;
    for (const std::size_t threads : kThreads) {
        ASSERT_TRUE(Succeeds(decoder.Decode(*pipeline, chunk.encoded, threads))) << threads;
        ASSERT_TRUE(decoder.decoded(*pipeline) == chunk.contents) << threads << " threads";
    }
}

Chunk FramesOfManySizes(Random& random) {
    Chunk chunk;
    for (const std::size_t size : {1U, 70000U, 0U, 300000U, 17U, 4096U})
        chunk.Add(Compressible(random, size));
    return chunk;
}

TEST(ZstdFrames, AreJoined) {
    Random random(90);
    ExpectDecoded(FramesOfManySizes(random));
}

TEST(ZstdFrames, AreJoinedIfAFrameOmitsItsSize) {
    Random random(91);
    for (std::size_t silent = 0; silent < 3; ++silent) {
        Chunk chunk;
        for (std::size_t i = 0; i < 3; ++i) chunk.Add(Compressible(random, 50000), i != silent);
        ExpectDecoded(chunk);
    }
}

TEST(ZstdFrames, MayBeSkippable) {
    Random random(92);
    Chunk chunk;
    chunk.encoded += SkippableFrame("first");
    chunk.Add(Compressible(random, 50000));
    chunk.encoded += SkippableFrame("");
    chunk.Add(Compressible(random, 50000));
    chunk.encoded += SkippableFrame("last");
    ExpectDecoded(chunk);
}

// The chunk has 70000 frames, more than are decoded in parallel. Decoding must still succeed.
TEST(ZstdFrames, MayBeVeryMany) {
    Chunk chunk;
    const std::string frame = Frame("x");
    for (std::size_t i = 0; i < 70000; ++i) {
        chunk.contents += 'x';
        chunk.encoded += frame;
    }
    ExpectDecoded(chunk);
}

TEST(ZstdFrames, OfAnotherSizeThanTheChunkAreRefused) {
    Random random(93);
    const Chunk chunk = FramesOfManySizes(random);
    const std::size_t size = chunk.contents.size();
    GuardedDecoder decoder;
    for (const std::size_t other : {std::size_t{0}, std::size_t{1}, size - 1, size + 1, 2 * size})
        for (const std::size_t threads : kThreads)
            EXPECT_TRUE(
                Fails(decoder.Decode(*Bind(other), chunk.encoded, threads), StatusCode::kCorrupt))
                << other << ", " << threads;
}

TEST(ZstdFrames, ThatAreDamagedAreRefused) {
    constexpr std::uint64_t kSeed = 94;
    SCOPED_TRACE(kSeed);
    Random random(kSeed);
    const Chunk chunk = FramesOfManySizes(random);
    const auto pipeline = Bind(chunk.contents.size());
    GuardedDecoder decoder;
    for (int i = 0; i < 200; ++i) {
        std::string wrong = chunk.encoded;
        const std::size_t place = random.Below(wrong.size());
        if (i % 2 == 0)
            wrong.resize(place);
        else
            wrong[place] = static_cast<char>(wrong[place] ^ (1 << random.Below(8)));
        const Status alone = decoder.Decode(*pipeline, wrong, 1);
        const std::string decoded(decoder.decoded(*pipeline));
        // Damage in unused bits of a header may go unnoticed if the chunk still decodes correctly.
        ASSERT_TRUE(!alone.ok() || decoded == chunk.contents) << place;
        for (const std::size_t threads : {2U, 4U}) {
            const Status shared = decoder.Decode(*pipeline, wrong, threads);
            ASSERT_EQ(shared.ok(), alone.ok()) << place << ": " << shared.message();
            if (!alone.ok()) {
                ASSERT_TRUE(Fails(shared, StatusCode::kCorrupt)) << place;
            }
        }
    }
    for (const std::size_t threads : kThreads)
        EXPECT_TRUE(
            Fails(decoder.Decode(*pipeline, chunk.encoded + "x", threads), StatusCode::kCorrupt))
            << threads;
}

// Each frame claims a huge size, and the sum of the sizes overflows 64 bits.
TEST(ZstdFrames, WithTooLargeSizesAreRefused) {
    // Frame header with an 8-byte content size (RFC 8878, 3.1.1.1, single segment).
    const std::string huge =
        std::string("\x28\xb5\x2f\xfd\xe0", 5) + std::string(7, '\xff') + '\x7f';
    const std::string empty_block("\x01\x00\x00", 3);
    GuardedDecoder decoder;
    const auto pipeline = Bind(100);
    for (const std::size_t threads : kThreads)
        EXPECT_TRUE(Fails(
            decoder.Decode(
                *pipeline,
                huge + empty_block + huge + empty_block + Frame("x") + huge + empty_block, threads),
            StatusCode::kCorrupt))
            << threads;
}

}  // namespace
}  // namespace zarr::test
