// SPDX-License-Identifier: MIT
// Tests of codecs in `zarr.json`: strict parsing, translation of numcodecs options, kinds of
// codecs, and the order of codecs in a pipeline.
#include <gtest/gtest.h>

#include "autotest/cpp/codec/v3_codecs.h"
#include "core/codec/registry.h"

namespace zarr::test {
namespace {

CodecSpec V3Spec(std::string name, const char* configuration = "{}") {
    return {std::move(name), Json(configuration), "codecs[0]", CodecNames::kV3};
}

CodecSpec NumcodecsSpec(std::string id, const char* options = "{}") {
    return {std::move(id), Json(options), "filters[0]", CodecNames::kNumcodecs};
}

TEST(V3Codec, IsANameOrAnObject) {
    const auto name = ParseV3Codec(Json(R"("crc32c")"), "codecs[3]");
    ASSERT_TRUE(Succeeds(name));
    EXPECT_EQ(name->name, "crc32c");
    EXPECT_EQ(name->place, "codecs[3]");
    EXPECT_EQ(name->names, CodecNames::kV3);
    EXPECT_EQ(json::Dump(name->configuration), "{}");
    const auto object =
        ParseV3Codec(Json(R"({"name":"gzip","configuration":{"level":1},"must_understand":false,
                 "note":{"must_understand":false}})"),
                     "codecs[0]");
    ASSERT_TRUE(Succeeds(object));
    EXPECT_EQ(object->name, "gzip");
    EXPECT_EQ(json::Dump(object->configuration), R"({"level": 1})");
}

TEST(V3Codec, RefusesOtherMembers) {
    const struct {
        const char* codec;
        const char* message;
    } cases[] = {
        {"7", "codecs[0]: expected a name or an object"},
        {"null", "codecs[0]: expected a name or an object"},
        {"{}", "codecs[0]: the compulsory member \"name\" is missing"},
        {R"({"name":7})", "codecs[0]: name: expected a string"},
        {R"({"name":"a","configuration":null})", "codecs[0]: configuration: expected an object"},
        {R"({"name":"a","configuration":[]})", "codecs[0]: configuration: expected an object"},
        {R"({"name":"a","must_understand":1})", "codecs[0]: must_understand: expected a boolean"},
        {R"({"name":"a","level":1})", "codecs[0]: unknown member \"level\""},
        {R"({"name":"a","x":{"must_understand":true}})", "codecs[0]: unknown member \"x\""},
        {R"({"name":"a","x":{}})", "codecs[0]: unknown member \"x\""},
    };
    for (const auto& c : cases)
        EXPECT_TRUE(
            Fails(ParseV3Codec(Json(c.codec), "codecs[0]"), StatusCode::kCorrupt, c.message))
            << c.codec;
}

// An unknown codec is an error even with "must_understand": false. Chunks cannot be decoded without
// it.
TEST(V3Codec, IsNeverIgnored) {
    EXPECT_TRUE(Fails(BindV3(R"([{"name":"snow","must_understand":false}])", ContextOf("|u1", {3})),
                      StatusCode::kUnsupported, "codecs[0]: unknown codec \"snow\""));
}

TEST(V3Configuration, IsReadStrictly) {
    const struct {
        const char* name;
        const char* configuration;
        const char* message;
    } cases[] = {
        {"blosc", R"({"clevel":5,"shuffle":"noshuffle"})", "\"cname\""},
        {"blosc", R"({"cname":"lz5","clevel":5,"shuffle":"noshuffle"})", "cname: expected \"lz4\""},
        {"blosc", R"({"cname":"lz4","shuffle":"noshuffle"})", "\"clevel\""},
        {"blosc", R"({"cname":"lz4","clevel":10,"shuffle":"noshuffle"})", "clevel: expected"},
        {"blosc", R"({"cname":"lz4","clevel":"5","shuffle":"noshuffle"})", "clevel: expected"},
        {"blosc", R"({"cname":"lz4","clevel":5})", "\"shuffle\""},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":"shuffle"})", "\"typesize\""},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":0})", "typesize: "},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":"shuffle","typesize":null})",
         "typesize: expected"},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":"noshuffle","blocksize":-1})",
         "blocksize: expected"},
        {"blosc", R"({"cname":"lz4","clevel":5,"shuffle":"noshuffle","nthreads":1})",
         "unknown member \"nthreads\""},
        {"gzip", "{}", "\"level\""},
        {"gzip", R"({"level":10})", "level: expected an integer from 0 to 9, got 10"},
        {"gzip", R"({"level":1.5})", "level: expected"},
        {"gzip", R"({"level":1,"x":2})", "unknown member \"x\""},
        {"zstd", "{}", "\"level\""},
        {"zstd", R"({"level":23})", "level: expected an integer from -131072 to 22"},
        {"zstd", R"({"level":3,"checksum":0})", "checksum: expected a boolean"},
        {"zstd", R"({"level":3,"checksum":null})", "checksum: expected a boolean"},
        {"zstd", R"({"level":3,"window":1})", "unknown member \"window\""},
        {"crc32c", R"({"location":"end"})", "unknown member \"location\""},
        {"bytes", "{}", "endian is missing"},
        {"bytes", R"({"endian":"native"})", R"(endian: expected "little" or "big")"},
        {"bytes", R"({"endian":null})", "endian: expected"},
        {"bytes", R"({"endian":"big","x":1})", "unknown member \"x\""},
        {"numcodecs.delta", "{}", "\"dtype\""},
        {"numcodecs.delta", R"({"dtype":"int31"})", "dtype: "},
    };
    for (const auto& c : cases)
        EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec(c.name, c.configuration)}, ContextOf("<i4", {4})),
                          StatusCode::kCorrupt, "codecs[0]: " + std::string(c.name) + ": "))
            << c.name << c.configuration;
    for (const auto& c : cases)
        EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec(c.name, c.configuration)}, ContextOf("<i4", {4})),
                          StatusCode::kCorrupt, c.message))
            << c.name << c.configuration;
}

TEST(V3Configuration, VariableLengthCodecsHaveNoMembers) {
    CodecContext context = ContextOf("|O", {2});
    context.dtype.object_kind = ObjectKind::kText;
    EXPECT_TRUE(Succeeds(Pipeline::Bind({V3Spec("vlen-utf8")}, context)));
    EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec("vlen-utf8", R"({"x":1})")}, context),
                      StatusCode::kCorrupt, "codecs[0]: vlen-utf8: unknown member \"x\""));
    EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec("vlen-bytes")}, context), StatusCode::kCorrupt,
                      "is a codec for bytes, but the data type is text"));
    EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec("bytes")}, context), StatusCode::kCorrupt,
                      "codecs[0]: expected codec vlen-utf8 or vlen-bytes"));
    EXPECT_TRUE(Fails(Pipeline::Bind({V3Spec("vlen-utf8")}, ContextOf("<i4", {2})),
                      StatusCode::kCorrupt, "needs variable-length data"));
    EXPECT_TRUE(Fails(Pipeline::Bind({}, context), StatusCode::kCorrupt, "codec"));
}

// If a numcodecs codec has no element size or dtype, it takes that of the array.
TEST(V3Configuration, NumcodecsMembersDefaultToTheArray) {
    const CodecContext context = ContextOf("<f4", {4});
    const auto shuffle = Pipeline::Bind({V3Spec("numcodecs.shuffle")}, context);
    ASSERT_TRUE(Succeeds(shuffle));
    EXPECT_EQ(*EncodeV3Chunk(*shuffle, "abcdABCD01234567"), "aA04bB15cC26dD37");
    const auto scaled = Pipeline::Bind(
        {V3Spec("numcodecs.fixedscaleoffset", R"({"offset":0,"scale":2,"astype":"uint8"})")},
        context);
    ASSERT_TRUE(Succeeds(scaled));
    EXPECT_EQ(*EncodeV3Chunk(*scaled, BytesOf(std::vector<float>{32.5F, 33, 33.5F, 34})), "ABCD");
}

TEST(V3Classes, AreThoseOfTheSpecifications) {
    const auto expect = [](CodecClass expected, std::initializer_list<const char*> names) {
        for (const char* name : names) {
            const auto codec_class = ClassOf(V3Spec(name));
            ASSERT_TRUE(Succeeds(codec_class)) << name;
            EXPECT_EQ(*codec_class, expected) << name;
        }
    };
    expect(CodecClass::kArrayToArray,
           {"transpose", "reshape", "bitround", "scale_offset", "cast_value", "numcodecs.delta",
            "numcodecs.fixedscaleoffset", "numcodecs.quantize", "numcodecs.bitround",
            "numcodecs.astype", "numcodecs.packbits"});
    expect(CodecClass::kArrayToBytes,
           {"bytes", "sharding_indexed", "vlen-utf8", "vlen-bytes", "packbits", "zfp", "n5_default",
            "numcodecs.zfpy", "numcodecs.pcodec", "zarrs.optional", "optional"});
    expect(CodecClass::kBytesToBytes,
           {"blosc", "gzip", "zstd", "crc32c", "conditional", "numcodecs.blosc", "numcodecs.gzip",
            "numcodecs.zstd", "numcodecs.crc32c", "numcodecs.zlib", "numcodecs.bz2",
            "numcodecs.lzma", "numcodecs.lz4", "numcodecs.shuffle", "numcodecs.crc32",
            "numcodecs.adler32", "numcodecs.fletcher32", "numcodecs.jenkins_lookup3"});
}

TEST(V3Classes, AreNotOfCodecsThatAreUnknownOrRefused) {
    const struct {
        const char* name;
        const char* message;
    } cases[] = {
        {"snow", "unknown codec \"snow\""},
        {"", "unknown codec \"\""},
        {"numcodecs.", "unknown codec"},
        {"numcodecs.bytes", "unknown codec"},
        {"zlib", "unknown codec \"zlib\""},
        {"json", "unknown codec \"json\""},
        {"pickle", "unknown codec \"pickle\""},
        {"msgpack2", "unknown codec \"msgpack2\""},
        {"numcodecs.json", "refused: it is numcodecs' withdrawn first version"},
        {"zarrs.gdeflate", "codec \"zarrs.gdeflate\" is refused: it is not supported"},
        {"numcodecs.msgpack", "codec \"numcodecs.msgpack\" is refused: it is not supported"},
        {"numcodecs.pickle", "refused: reading it would run code"},
        {"numcodecs.json2", "refused: Zarr v3 has no such codec"},
    };
    for (const auto& c : cases) {
        EXPECT_TRUE(Fails(ClassOf(V3Spec(c.name)), StatusCode::kUnsupported, c.message));
        EXPECT_TRUE(Fails(MakeCodec(V3Spec(c.name), ContextOf("<i4", {4})),
                          StatusCode::kUnsupported, c.message));
    }
    EXPECT_TRUE(Fails(MakeCodec(V3Spec("sharding_indexed"), ContextOf("<i4", {4})),
                      StatusCode::kUnsupported, "only directly after transpose"));
    EXPECT_TRUE(Fails(ClassOf(NumcodecsSpec("transpose")), StatusCode::kUnsupported, "unknown"));
}

TEST(V3Configuration, IsWrittenFromNumcodecsOptions) {
    const DataType dtype = ContextOf(">i4", {}).dtype;
    const struct {
        const char* id;
        const char* options;
        const char* written;
    } cases[] = {
        {"blosc", R"({"cname":"zstd","clevel":3,"shuffle":2,"blocksize":16})",
         R"({"name":"blosc","configuration":{"cname":"zstd","clevel":3,"shuffle":"bitshuffle","typesize":4,"blocksize":16}})"},
        {"blosc", R"({"shuffle":0})",
         R"({"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"noshuffle","typesize":4,"blocksize":0}})"},
        {"blosc", R"({"shuffle":-1,"typesize":1})",
         R"({"name":"blosc","configuration":{"cname":"lz4","clevel":5,"shuffle":"bitshuffle","typesize":1,"blocksize":0}})"},
        {"gzip", R"({"level":7})", R"({"name":"gzip","configuration":{"level":7}})"},
        {"gzip", "{}", R"({"name":"gzip","configuration":{"level":1}})"},
        {"zstd", R"({"level":7})",
         R"({"name":"zstd","configuration":{"level":7,"checksum":false}})"},
        {"zstd", R"({"checksum":true})",
         R"({"name":"zstd","configuration":{"level":1,"checksum":true}})"},
        {"crc32c", "{}", R"({"name":"crc32c"})"},
        {"crc32c", R"({"location":"end"})", R"({"name":"crc32c"})"},
        {"crc32c", R"({"location":"start"})",
         R"({"name":"numcodecs.crc32c","configuration":{"location":"start"}})"},
        {"zlib", R"({"level":3})", R"({"name":"numcodecs.zlib","configuration":{"level":3}})"},
        {"packbits", "{}", R"({"name":"numcodecs.packbits","configuration":{}})"},
        {"shuffle", "{}", R"({"name":"numcodecs.shuffle","configuration":{"elementsize":4}})"},
        {"delta", R"({"dtype":">i4","astype":"<i2"})",
         R"({"name":"numcodecs.delta","configuration":{"dtype":"<i4","astype":"<i2"}})"},
        {"vlen-utf8", "{}", R"({"name":"vlen-utf8"})"},
        {"vlen-bytes", "{}", R"({"name":"vlen-bytes"})"},
    };
    for (const auto& c : cases) {
        const auto written = CodecToV3(NumcodecsSpec(c.id, c.options), dtype);
        ASSERT_TRUE(Succeeds(written)) << c.id;
        EXPECT_EQ(json::Dump(*written), json::Dump(Json(c.written)));
        // The configuration translated to Zarr v3 must encode to the same bytes as the numcodecs
        // options.
        if (std::string_view(c.id).substr(0, 4) == "vlen" || c.id == std::string("packbits"))
            continue;
        const auto read = ParseV3Codec(*written, "codecs[0]");
        ASSERT_TRUE(Succeeds(read));
        const CodecContext context = ContextOf("<i4", {64});
        const auto before = Pipeline::Bind({NumcodecsSpec(c.id, c.options)}, context);
        const auto after = Pipeline::Bind({*read}, context);
        ASSERT_TRUE(Succeeds(after)) << c.id;
        // The options of delta state big-endian numbers. Zarr v3 has little-endian numbers, so the
        // bytes differ.
        if (c.id == std::string("delta")) continue;
        const std::string chunk = std::string(100, '\1') + std::string(156, '\2');
        EXPECT_EQ(*EncodeV3Chunk(*after, chunk), *EncodeV3Chunk(*before, chunk)) << c.id;
    }
    EXPECT_TRUE(Fails(CodecToV3(NumcodecsSpec("json2"), dtype), StatusCode::kUnsupported,
                      "codec \"json2\": Zarr v3 has no such codec"));
    EXPECT_TRUE(
        Fails(CodecToV3(NumcodecsSpec("snow"), dtype), StatusCode::kUnsupported, "unknown"));
    const auto own = CodecToV3(V3Spec("reshape", R"({"shape":[1]})"), dtype);
    ASSERT_TRUE(Succeeds(own));
    EXPECT_EQ(json::Dump(*own),
              json::Dump(Json(R"({"name":"reshape","configuration":{"shape":[1]}})")));
}

TEST(V3Pipeline, KnowsTheSizeOfAShardsIndex) {
    const auto pipeline =
        BindV3(R"([{"name":"bytes","configuration":{"endian":"little"}},"crc32c"])",
               ContextOf("<u8", {2, 3, 2}));
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_TRUE(pipeline->encoded_size().exact);
    EXPECT_EQ(pipeline->encoded_size().max, 100U);
    const auto compressed =
        BindV3(R"(["bytes",{"name":"gzip","configuration":{"level":1}}])", ContextOf("|u1", {9}));
    ASSERT_TRUE(Succeeds(compressed));
    EXPECT_FALSE(compressed->encoded_size().exact);
}

TEST(V3Pipeline, CodesBytesOfAnySize) {
    const auto codecs = V3Codecs(R"([{"name":"gzip","configuration":{"level":1}},"crc32c"])");
    ASSERT_TRUE(Succeeds(codecs));
    const auto pipeline = Pipeline::BindBytes(*codecs, 1000);
    ASSERT_TRUE(Succeeds(pipeline));
    PipelineScratch scratch;
    for (const std::size_t size : {0, 1, 999, 1000}) {
        const std::string bytes(size, 'a');
        const auto encoded = pipeline->EncodeBytes(ByteSpan(bytes), scratch);
        ASSERT_TRUE(Succeeds(encoded));
        EXPECT_LE(encoded->size, pipeline->encoded_size().max);
        const std::string stored(encoded->text());
        Buffer decoded;
        ASSERT_TRUE(Succeeds(pipeline->DecodeBytes(ByteSpan(stored), 1000, decoded, scratch)));
        EXPECT_EQ(TextOf(decoded), bytes);
        ASSERT_TRUE(Succeeds(pipeline->DecodeBytes(ByteSpan(stored), size, decoded, scratch)));
        EXPECT_EQ(TextOf(decoded), bytes);
        if (size > 0) {
            EXPECT_FALSE(pipeline->DecodeBytes(ByteSpan(stored), size - 1, decoded, scratch).ok());
        }
        EXPECT_FALSE(
            pipeline->DecodeBytes(ByteSpan(stored.substr(1)), 1000, decoded, scratch).ok());
    }
    const std::string more(1001, 'a');
    EXPECT_TRUE(
        Fails(pipeline->EncodeBytes(ByteSpan(more), scratch), StatusCode::kInvalidArgument));
}

TEST(V3Pipeline, PassesBytesWithoutACodec) {
    const auto pipeline = Pipeline::BindBytes({}, 5);
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_TRUE(pipeline->is_identity());
    PipelineScratch scratch;
    Buffer decoded;
    ASSERT_TRUE(Succeeds(pipeline->DecodeBytes(ByteSpan("abc"), 5, decoded, scratch)));
    EXPECT_EQ(TextOf(decoded), "abc");
    EXPECT_TRUE(Fails(pipeline->DecodeBytes(ByteSpan("abc"), 2, decoded, scratch),
                      StatusCode::kCorrupt, "more than the 2 bytes"));
    EXPECT_EQ(pipeline->EncodeBytes(ByteSpan("abc"), scratch)->text(), "abc");
}

// Codecs in any order may be rejected, but must not crash.
TEST(V3Pipeline, SurvivesAnyOrderOfCodecs) {
    const char* const codecs[] = {
        R"({"name":"transpose","configuration":{"order":[1,0]}})",
        R"({"name":"reshape","configuration":{"shape":[-1]}})",
        R"({"name":"bytes","configuration":{"endian":"big"}})",
        R"("packbits")",
        R"({"name":"bitround","configuration":{"keepbits":3}})",
        R"({"name":"cast_value","configuration":{"data_type":"float32","out_of_range":"clamp"}})",
        R"("scale_offset")",
        R"({"name":"zfp","configuration":{"mode":"reversible"}})",
        R"({"name":"gzip","configuration":{"level":1}})",
        R"("crc32c")",
        R"({"name":"blosc","configuration":{"cname":"lz4","clevel":1,"shuffle":"shuffle","typesize":4}})",
        R"({"name":"numcodecs.packbits","configuration":{}})",
        R"({"name":"numcodecs.delta","configuration":{"dtype":"<i4"}})",
        R"({"name":"numcodecs.bitround","configuration":{"keepbits":3}})",
        R"({"name":"numcodecs.zfpy","configuration":{}})",
        R"({"name":"numcodecs.pcodec","configuration":{}})",
        R"({"name":"conditional","configuration":{"codecs":["crc32c"]}})",
        R"({"name":"n5_default","configuration":{"codecs":[
            {"name":"transpose","configuration":{"order":[1,0]}},
            {"name":"bytes","configuration":{"endian":"big"}}]}})",
        R"("vlen-utf8")",
    };
    Random random(25);
    for (int repeat = 0; repeat < 3000; ++repeat) {
        std::string list = "[";
        for (std::uint64_t i = random.Below(4) + 1; i > 0; --i)
            list += codecs[random.Below(std::size(codecs))] + std::string(i > 1 ? "," : "]");
        const char* const typestrs[] = {"<i4", "|b1", "<f8", "|S3", ">u2", "<M8[s]", "|V4", "<c8"};
        CodecContext context = ContextOf(typestrs[random.Below(8)], {3, 4});
        if (random.Below(5) == 0)
            context = NarrowContext(NarrowType::kFloat8E4m3, DataKind::kFloat, 12);
        const auto pipeline = BindV3(list, context);
        if (!pipeline.ok()) continue;
        const std::string chunk = random.Bytes(pipeline->chunk_bytes());
        const auto encoded = EncodeV3Chunk(*pipeline, chunk);
        if (encoded.ok()) static_cast<void>(DecodeV3Chunk(*pipeline, *encoded).ok());
        static_cast<void>(DecodeV3Chunk(*pipeline, random.Bytes(random.Below(100))).ok());
    }
}

}  // namespace
}  // namespace zarr::test
