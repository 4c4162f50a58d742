// SPDX-License-Identifier: MIT
// Tests that codecs are found by their names in Zarr v2 and v3.
#include "core/codec/registry.h"

#include <gtest/gtest.h>

#include "autotest/cpp/support/checks.h"
#include "core/codec/pipeline.h"

namespace zarr {
namespace {

using test::Fails;
using test::Succeeds;

CodecSpec Named(std::string name, const char* configuration, CodecNames names) {
    return {std::move(name), test::Json(configuration), "codecs[0]", names};
}

CodecContext Integers() {
    CodecContext context;
    context.dtype = *ParseTypestr("<i4");
    context.chunk_shape = {64};
    return context;
}

std::string EncodeWith(const CodecSpec& spec, const std::string& chunk) {
    const auto pipeline = Pipeline::Bind({spec}, Integers());
    EXPECT_TRUE(Succeeds(pipeline));
    if (!pipeline.ok()) return {};
    PipelineScratch scratch;
    const auto encoded = pipeline->Encode(ByteSpan(chunk), scratch);
    EXPECT_TRUE(Succeeds(encoded));
    return encoded.ok() ? std::string(reinterpret_cast<const char*>(encoded->data), encoded->size)
                        : std::string();
}

// Options of numcodecs and a configuration of Zarr v3 must give equal codecs.
TEST(CodecRegistry, KnowsTheNamesOfBothVersions) {
    const std::string chunk = std::string(100, '\1') + std::string(156, '\2');
    const struct {
        const char* id;
        const char* options;
        const char* v3_name;
        const char* configuration;
    } same[] = {
        {"blosc", R"({"cname":"zstd","clevel":3,"shuffle":2,"blocksize":0})", "blosc",
         R"({"cname":"zstd","clevel":3,"shuffle":"bitshuffle","typesize":4,"blocksize":0})"},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":0})", "blosc",
         R"({"cname":"lz4","clevel":5,"shuffle":"noshuffle"})"},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":1})", "numcodecs.blosc",
         R"({"cname":"lz4","clevel":5,"shuffle":1})"},
        {"gzip", R"({"level":7})", "gzip", R"({"level":7})"},
        {"zstd", R"({"level":7})", "zstd", R"({"level":7,"checksum":false})"},
        {"crc32c", R"({"location":"end"})", "crc32c", "{}"},
        {"zlib", R"({"level":2})", "numcodecs.zlib", R"({"level":2})"},
        {"delta", R"({"dtype":"<i4"})", "numcodecs.delta", R"({"dtype":"<i4"})"},
    };
    for (const auto& c : same)
        EXPECT_EQ(EncodeWith(Named(c.id, c.options, CodecNames::kNumcodecs), chunk),
                  EncodeWith(Named(c.v3_name, c.configuration, CodecNames::kV3), chunk))
            << c.v3_name << ' ' << c.configuration;
}

TEST(CodecRegistry, DoesNotMixTheNames) {
    EXPECT_TRUE(Fails(MakeCodec(Named("numcodecs.zlib", "{}", CodecNames::kNumcodecs), Integers()),
                      StatusCode::kUnsupported, "unknown codec \"numcodecs.zlib\""));
    EXPECT_TRUE(Fails(MakeCodec(Named("zlib", "{}", CodecNames::kV3), Integers()),
                      StatusCode::kUnsupported, "unknown codec \"zlib\""));
}

TEST(CodecRegistry, RejectsShufflesThatV3DoesNotName) {
    for (const char* shuffle : {"1", "\"bit\"", "null"}) {
        const std::string text =
            std::string(R"({"cname":"lz4","clevel":5,"shuffle":)") + shuffle + "}";
        EXPECT_TRUE(Fails(MakeCodec(Named("blosc", text.c_str(), CodecNames::kV3), Integers()),
                          StatusCode::kCorrupt, "blosc: shuffle: expected \"noshuffle\""))
            << shuffle;
    }
    EXPECT_FALSE(MakeCodec(Named("blosc", "{}", CodecNames::kV3), Integers()).ok());
}

TEST(CodecRegistry, TellsCompressorsFromFilters) {
    EXPECT_TRUE(IsCompressor(Named("bz2", "{}", CodecNames::kNumcodecs)));
    EXPECT_TRUE(IsCompressor(Named("numcodecs.bz2", "{}", CodecNames::kV3)));
    EXPECT_FALSE(IsCompressor(Named("shuffle", "{}", CodecNames::kNumcodecs)));
    EXPECT_FALSE(IsCompressor(Named("x", "{}", CodecNames::kNumcodecs)));
}

// Creates a codec of ProvideCodecs() that needs the option "good".
Result<std::unique_ptr<Codec>> MakeProvidedCodec(std::string_view name, const json::Value& options,
                                                 const CodecContext& context) {
    if (options.Find("good") == nullptr)
        return Status::Corrupt("good: missing for " + std::string(name));
    return MakeCodec(Named("base64", "{}", CodecNames::kNumcodecs), context);
}

TEST(CodecRegistry, AsksForCodecsThatAProgramProvides) {
    static const std::vector<ProvidedCodec> provided = {
        {"imagecodecs_png", CodecClass::kBytesToBytes, MakeProvidedCodec},
        {"zlib", CodecClass::kBytesToBytes, MakeProvidedCodec}};
    static const std::vector<ProvidedCodec> none;
    const CodecSpec png = Named("imagecodecs_png", R"({"good":1})", CodecNames::kNumcodecs);
    EXPECT_TRUE(Fails(MakeCodec(png, Integers()), StatusCode::kUnsupported,
                      "codec \"imagecodecs_png\" is refused: it decodes PNG images"));
    EXPECT_FALSE(ClassOf(png).ok());
    ProvideCodecs(provided);
    EXPECT_TRUE(Succeeds(MakeCodec(png, Integers())));
    EXPECT_TRUE(IsCompressor(png));
    EXPECT_EQ(*ClassOf(png), CodecClass::kBytesToBytes);
    EXPECT_TRUE(Succeeds(MakeObjectCodec(png, Integers())));
    EXPECT_TRUE(Succeeds(CodecToV3(png, Integers().dtype)));
    for (const char* name : {"imagecodecs_png", "numcodecs.imagecodecs_png"}) {
        EXPECT_TRUE(Succeeds(MakeCodec(Named(name, R"({"good":1})", CodecNames::kV3), Integers())));
        EXPECT_TRUE(Fails(MakeCodec(Named(name, "{}", CodecNames::kV3), Integers()),
                          StatusCode::kCorrupt, "good: missing for imagecodecs_png"));
        EXPECT_TRUE(Fails(MakeCodec(Named(name, "3", CodecNames::kV3), Integers()),
                          StatusCode::kCorrupt, "configuration: expected an object"));
    }
    // The core's own codecs come first.
    EXPECT_TRUE(Succeeds(MakeCodec(Named("zlib", "{}", CodecNames::kNumcodecs), Integers())));
    ProvideCodecs(none);
    EXPECT_FALSE(MakeCodec(png, Integers()).ok());
}

}  // namespace
}  // namespace zarr
