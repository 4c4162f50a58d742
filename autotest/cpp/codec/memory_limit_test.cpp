// SPDX-License-Identifier: MIT
// A codec must not allocate all memory that a header requests. The memory of a codec is limited to
// the chunk size plus a constant.
#include <gtest/gtest.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/scoped_limit.h"
#include "core/base/endian.h"
#include "core/codec/registry.h"

namespace zarr::test {

namespace {

constexpr std::size_t kLimitedSize = 10000;
constexpr std::uint64_t kMega = std::uint64_t{1} << 20;

std::string Plain() {
    std::string text(kLimitedSize, '\0');
    for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<char>(i / 7);
    return text;
}

// Decodes `encoded`. The result must be Plain(), which has kLimitedSize bytes.
Status Decode(const char* config, const std::string& encoded) {
    const auto codec = MakeFromJson(Json(config), CodecContext());
    if (!codec.ok()) return codec.status();
    Buffer memory;
    EXPECT_TRUE(Succeeds(memory.Resize(kLimitedSize)));
    Output output(memory.span());
    ZARR_RETURN_IF_ERROR((*codec)->Decode(ByteSpan(encoded), output));
    EXPECT_EQ(TextOf(memory), Plain());
    return {};
}

enum class LzmaForm { kXz, kAlone, kRaw };

// Returns an LZMA stream whose header states a dictionary of `dictionary` bytes.
std::string LzmaStream(LzmaForm form, std::uint32_t dictionary) {
    lzma_options_lzma options;
    EXPECT_FALSE(lzma_lzma_preset(&options, 0));
    options.dict_size = dictionary;
    lzma_filter chain[] = {
        {form == LzmaForm::kAlone ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2, &options},
        {LZMA_VLI_UNKNOWN, nullptr}};
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_ret code = form == LzmaForm::kAlone ? lzma_alone_encoder(&stream, &options)
                          : form == LzmaForm::kRaw
                              ? lzma_raw_encoder(&stream, chain)
                              : lzma_stream_encoder(&stream, chain, LZMA_CHECK_CRC32);
    EXPECT_EQ(code, LZMA_OK);
    const std::string plain = Plain();
    std::vector<std::uint8_t> out(2 * kLimitedSize);
    stream.next_in = reinterpret_cast<const std::uint8_t*>(plain.data());
    stream.avail_in = plain.size();
    stream.next_out = out.data();
    stream.avail_out = out.size();
    EXPECT_EQ(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    std::string encoded(out.begin(), out.end() - static_cast<std::ptrdiff_t>(stream.avail_out));
    lzma_end(&stream);
    return encoded;
}

std::string ZstdStream(int window_log) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
    const std::string plain = Plain();
    std::string out(2 * kLimitedSize, '\0');
    ZSTD_inBuffer source = {plain.data(), plain.size(), 0};
    ZSTD_outBuffer target = {out.data(), out.size(), 0};
    // Compressing in two calls keeps the encoder from writing the size into the header. The decoder
    // then allocates a window.
    source.size = 100;
    EXPECT_EQ(ZSTD_compressStream2(context, &target, &source, ZSTD_e_flush), 0U);
    source.size = plain.size();
    EXPECT_EQ(ZSTD_compressStream2(context, &target, &source, ZSTD_e_end), 0U);
    ZSTD_freeCCtx(context);
    out.resize(target.pos);
    EXPECT_EQ(ZSTD_getFrameContentSize(out.data(), out.size()), ZSTD_CONTENTSIZE_UNKNOWN);
    return out;
}

TEST(CodecMemory, IsEnoughForTheDictionariesOfEveryPreset) {
    constexpr std::uint32_t kPreset9 = 64 << 20;
    EXPECT_TRUE(Succeeds(Decode(R"({"id":"lzma"})", LzmaStream(LzmaForm::kXz, kPreset9))));
    EXPECT_TRUE(
        Succeeds(Decode(R"({"id":"lzma","format":2})", LzmaStream(LzmaForm::kAlone, kPreset9))));
    EXPECT_TRUE(Succeeds(Decode(R"({"id":"zstd"})", ZstdStream(27))));
}

TEST(CodecMemory, LimitsTheDictionaryOfAnLzmaHeader) {
    const ScopedLimit limit(Limit::kCodecMemory, 8 * kMega);
    for (const auto& [form, config] :
         {std::pair{LzmaForm::kXz, R"({"id":"lzma"})"},
          std::pair{LzmaForm::kXz, R"({"id":"lzma","format":0})"},
          std::pair{LzmaForm::kAlone, R"({"id":"lzma","format":2})"}}) {
        const std::string stream = LzmaStream(form, 16 << 20);
        EXPECT_TRUE(Fails(Decode(config, stream), StatusCode::kLimit,
                          "ZARR_MAX_CODEC_MEMORY allows 8388608"));
        const ScopedLimit raised(Limit::kCodecMemory, 32 * kMega);
        EXPECT_TRUE(Succeeds(Decode(config, stream))) << config;
    }
}

// The header requests gigabytes. Decoding must reject the header before it allocates memory.
TEST(CodecMemory, IsNotAllocatedForAnAbsurdHeader) {
    std::string alone = LzmaStream(LzmaForm::kAlone, 1 << 16);
    StoreLittle32(reinterpret_cast<std::uint8_t*>(&alone[1]), 0xf0000000);
    EXPECT_TRUE(Fails(Decode(R"({"id":"lzma","format":2})", alone), StatusCode::kLimit,
                      "ZARR_MAX_CODEC_MEMORY allows 134217728"));
}

// A raw stream has no header, so the metadata state the dictionary size. The decoder needs no
// dictionary larger than the chunk.
TEST(CodecMemory, RawLzmaNeedsNoMoreThanTheChunk) {
    const std::string stream = LzmaStream(LzmaForm::kRaw, 1 << 16);
    const char* config = R"({"id":"lzma","format":3,"filters":[{"id":33,"dict_size":1610612736}]})";
    const ScopedLimit limit(Limit::kCodecMemory, 1);
    EXPECT_TRUE(Succeeds(Decode(config, stream)));
}

TEST(CodecMemory, LimitsTheWindowOfZstandard) {
    const std::string stream = ZstdStream(24);
    EXPECT_TRUE(Succeeds(Decode(R"({"id":"zstd"})", stream)));
    const ScopedLimit limit(Limit::kCodecMemory, 8 * kMega);
    EXPECT_TRUE(Fails(Decode(R"({"id":"zstd"})", stream), StatusCode::kLimit,
                      "ZARR_MAX_CODEC_MEMORY allows 8388608"));
}

}  // namespace

}  // namespace zarr::test
