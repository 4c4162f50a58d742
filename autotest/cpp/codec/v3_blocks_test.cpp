// SPDX-License-Identifier: MIT
// Tests of the Zarr v3 codecs that rearrange or pack elements. Expected bytes come from the
// specifications.
#include <gtest/gtest.h>

#include "autotest/cpp/codec/v3_codecs.h"

namespace zarr::test {
namespace {

using std::string_literals::operator""s;

void ExpectBindFails(std::string_view list, const CodecContext& context, StatusCode code,
                     std::string_view message) {
    EXPECT_TRUE(Fails(BindV3(list, context), code, message)) << list;
}

TEST(V3Bytes, SwapWhereTheOrdersDiffer) {
    const std::string little = "\1\0\2\0\3\4"s;
    const std::string big = "\0\1\0\2\4\3"s;
    ExpectV3(R"([{"name":"bytes","configuration":{"endian":"big"}}])", ContextOf("<i2", {3}),
             little, big);
    ExpectV3(R"([{"name":"bytes","configuration":{"endian":"little"}}])", ContextOf(">i2", {3}),
             big, little);
    ExpectV3(R"([{"name":"bytes","configuration":{"endian":"big"}}])", ContextOf("<c8", {1}),
             "abcdefgh", "dcbahgfe");
    ExpectV3(R"([{"name":"bytes","configuration":{"endian":"big"}}])", ContextOf("<U2", {1}),
             "abcdefgh", "dcbahgfe");
    ExpectV3(R"(["bytes"])", ContextOf("|V3", {2}), "abcdef", "abcdef");
}

TEST(V3Bytes, SwapTheFieldsOfStructs) {
    CodecContext context;
    auto dtype = ParseDataType(Json(R"([["a","<i2"],["b","|u1"],["c","<f4",[2]]])"));
    ASSERT_TRUE(Succeeds(dtype));
    context.dtype = dtype.Take();
    context.chunk_shape = {2};
    ExpectV3(R"([{"name":"bytes","configuration":{"endian":"big"}}])", context,
             "ABxabcdefghCDyijklmnop", "BAxdcbahgfeDCylkjiponm");
    // zarr-python omits the member `endian` of the codec "bytes" for structures.
    ExpectV3(R"(["bytes"])", context, "ABxabcdefghCDyijklmnop", "ABxabcdefghCDyijklmnop");
}

TEST(V3Bytes, DoNothingWhereTheOrderIsTheSame) {
    for (const char* list :
         {R"(["bytes"])", R"([{"name":"bytes","configuration":{"endian":"big"}}])"}) {
        const auto pipeline = BindV3(list, ContextOf("|u1", {5}));
        ASSERT_TRUE(Succeeds(pipeline));
        EXPECT_TRUE(pipeline->is_identity());
    }
    const auto pipeline =
        BindV3(R"([{"name":"bytes","configuration":{"endian":"little"}}])", ContextOf("<f8", {5}));
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_TRUE(pipeline->is_identity());
    EXPECT_TRUE(pipeline->encoded_size().exact);
    EXPECT_EQ(pipeline->encoded_size().max, 40U);
}

TEST(V3Transpose, UsesTheShapeAfterThePreviousTranspose) {
    // A[2][3][4] is transposed to B[4][2][3] and then to C[3][4][2]. Dimensions 0, 1, 2 of C are
    // dimensions 1, 2, 0 of A.
    std::vector<std::uint16_t> chunk;
    std::vector<std::uint16_t> expected(24);
    for (std::uint16_t i = 0; i < 24; ++i) chunk.push_back(i);
    for (std::size_t i = 0; i < 2; ++i)
        for (std::size_t j = 0; j < 3; ++j)
            for (std::size_t k = 0; k < 4; ++k)
                expected[(j * 4 + k) * 2 + i] = chunk[(i * 3 + j) * 4 + k];
    const char* const list =
        R"([{"name":"transpose","configuration":{"order":[2,0,1]}},
            {"name":"transpose","configuration":{"order":[2,0,1]}},
            {"name":"bytes","configuration":{"endian":"little"}}])";
    ExpectV3(list, ContextOf("<u2", {2, 3, 4}), BytesOf(chunk), BytesOf(expected));
}

// The caller may apply the leading transpose codecs itself, and then sets `axis_order`. The
// remaining codecs take and return the transposed chunk.
TEST(V3Transpose, BeginsWithTheOrderOfTheAxes) {
    CodecContext context = ContextOf("|u1", {2, 3});
    context.axis_order = AxisOrder(true);  // the chunk in memory has the shape [3, 2]
    ExpectV3(R"([{"name":"transpose","configuration":{"order":[1,0]}},"bytes"])", context, "aAbBcC",
             "abcABC");
    ExpectV3(R"([{"name":"reshape","configuration":{"shape":[[0],[1],1]}},"bytes"])", context,
             "aAbBcC", "aAbBcC");
    ExpectBindFails(R"([{"name":"reshape","configuration":{"shape":[2,[0]]}},"bytes"])", context,
                    StatusCode::kCorrupt, "shape[1]");
}

TEST(V3Transpose, TakesTheOrdersOfDrafts) {
    ExpectV3(R"([{"name":"transpose","configuration":{"order":"F"}},"bytes"])",
             ContextOf("|u1", {2, 3}), "abcABC", "aAbBcC");
    ExpectV3(R"([{"name":"transpose","configuration":{"order":"C"}},"bytes"])",
             ContextOf("|u1", {2, 3}), "abcABC", "abcABC");
}

TEST(V3Transpose, RefusesOrdersThatAreNoPermutation) {
    for (const char* order : {"[0]", "[0,0]", "[0,2]", "[1,0,2]", "[-1,0]", "[0.5,1]", "\"A\"",
                              "null", "7", "[\"0\",1]"}) {
        const std::string list =
            R"([{"name":"transpose","configuration":{"order":)" + std::string(order) + "}}]";
        ExpectBindFails(list, ContextOf("|u1", {2, 3}), StatusCode::kCorrupt,
                        "codecs[0]: transpose: order");
    }
    ExpectBindFails(R"(["transpose"])", ContextOf("|u1", {2, 3}), StatusCode::kCorrupt,
                    "\"order\"");
}

TEST(V3Reshape, GivesTheNextCodecTheNewShape) {
    const CodecContext context = ContextOf("|u1", {2, 3, 2});
    for (const char* shape : {"[[0,1],[2]]", "[6,2]", "[6,-1]", "[-1,[2]]", "[[0,1],2]"}) {
        const std::string list =
            R"([{"name":"reshape","configuration":{"shape":)" + std::string(shape) +
            R"(}},{"name":"transpose","configuration":{"order":[1,0]}},"bytes"])";
        ExpectV3(list, context, "aAbBcCdDeEfF", "abcdefABCDEF");
    }
    const auto pipeline =
        BindV3(R"([{"name":"reshape","configuration":{"shape":[-1]}},"bytes"])", context);
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_TRUE(pipeline->is_identity());
}

TEST(V3Reshape, RefusesShapesThatDoNotFit) {
    const CodecContext context = ContextOf("|u1", {2, 3, 2});
    const struct {
        const char* shape;
        const char* message;
    } cases[] = {
        {"[12,2]", "shape: the product of the sizes differs from the 12 elements"},
        {"[5,-1]", "shape: the product of the sizes differs"},
        {"[-1,-1]", "shape[1]: expected -1 no more than once"},
        {"[0,-1]", "shape[0]: expected"},
        {"[-2]", "shape[0]: expected"},
        {"[\"a\"]", "shape[0]: expected"},
        {"[[1],[0],[2]]", "shape[1]: expected"},
        {"[[1,0],[2]]", "shape[0]: expected"},
        {"[[0,0],3,2]", "shape[0]: expected"},
        {"[[3],12]", "shape[0]: expected"},
        {"[3,[0],[2]]", "shape[1]: the sizes before or after it"},
        {"[[0],2,3]", ""},
        {"[18446744073709551615,18446744073709551615]", "shape[0]"},
        {"12", "shape: expected an array"},
    };
    for (const auto& c : cases) {
        const std::string list =
            R"([{"name":"reshape","configuration":{"shape":)" + std::string(c.shape) + "}}]";
        if (*c.message == '\0')
            EXPECT_TRUE(Succeeds(BindV3(list, context)));
        else
            ExpectBindFails(list, context, StatusCode::kCorrupt, c.message);
    }
    std::string many = R"([{"name":"reshape","configuration":{"shape":[12)";
    for (int i = 0; i < 100; ++i) many += ",1";
    ExpectBindFails(many + "]}}]", context, StatusCode::kLimit, "shape: has 101 dimensions");
}

TEST(V3PackBits, PackFromTheLowestBit) {
    ExpectV3(R"([{"name":"packbits","configuration":{"padding_encoding":"first_byte"}}])",
             ContextOf("|b1", {11}), "\1\0\1\1\0\0\0\0\1\1\0"s, "\5\x0d\3"s);
    ExpectV3(R"([{"name":"packbits","configuration":{"padding_encoding":"last_byte"}}])",
             ContextOf("|b1", {8}), "\1\0\0\0\0\0\0\1"s, "\x81\0"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kUint2, DataKind::kUint, 5),
             "\1\2\3\0\2"s, "\x39\2"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kInt2, DataKind::kInt, 4),
             "\xff\xfe\1\0"s, "\x1b"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kInt4, DataKind::kInt, 3),
             "\xff\x07\xf8"s, "\x7f\x08"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kUint4, DataKind::kUint, 2), "\x0f\x01"s,
             "\x1f"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kFloat4E2m1fn, DataKind::kFloat, 2),
             "\x0e\x01"s, "\x1e"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kFloat6E2m3fn, DataKind::kFloat, 4),
             "\x3f\x00\x01\x20"s, "\x3f\x10\x80"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kFloat6E3m2fn, DataKind::kComplex, 2),
             "\x3f\x00\x01\x20"s, "\x3f\x10\x80"s);
    ExpectV3(R"(["packbits"])", NarrowContext(NarrowType::kFloat8E5m2, DataKind::kFloat, 3), "abc",
             "abc");
    CodecContext bfloat = ContextOf("<f2", {2});
    bfloat.dtype.narrow = NarrowType::kBfloat16;
    ExpectV3(R"(["packbits"])", bfloat, "abcd", "abcd");
    ExpectV3(R"([{"name":"packbits","configuration":{"first_bit":8,"last_bit":null}}])",
             ContextOf(">u2", {3}), "a\0b\0c\0"s, "abc");
}

TEST(V3PackBits, RefuseOtherSizesAndPaddings) {
    const auto pipeline =
        BindV3(R"([{"name":"packbits","configuration":{"padding_encoding":"first_byte"}}])",
               ContextOf("|b1", {11}));
    ASSERT_TRUE(Succeeds(pipeline));
    for (const std::string& encoded : {""s, "\5"s, "\5\1"s, "\4\1\1"s, "\5\1\1\1"s, "\x0d\1\1"s})
        EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, encoded), StatusCode::kCorrupt, "packbits: "));
}

TEST(V3PackBits, RefuseInvalidNumbersOfBits) {
    const CodecContext context = ContextOf("<u2", {3});
    const struct {
        const char* configuration;
        const char* message;
    } cases[] = {
        {R"({"first_bit":16})", "first_bit: expected an integer from 0 to 15"},
        {R"({"last_bit":16})", "last_bit: expected"},
        {R"({"last_bit":-1})", "last_bit: expected"},
        {R"({"first_bit":"0"})", "first_bit: expected"},
        {R"({"first_bit":3,"last_bit":2})", "last_bit: expected at least the first_bit 3, got 2"},
        {R"({"padding_encoding":"start_byte"})", "padding_encoding: expected \"none\", "},
        {R"({"padding_encoding":null})", "padding_encoding: expected"},
        {R"({"bits":3})", "unknown member \"bits\""},
    };
    for (const auto& c : cases)
        ExpectBindFails(
            R"([{"name":"packbits","configuration":)" + std::string(c.configuration) + "}]",
            context, StatusCode::kCorrupt, c.message);
    ExpectBindFails(R"(["packbits"])", ContextOf("|S3", {3}), StatusCode::kUnsupported, "packbits");
}

// Random chunks are encoded with random combinations of transpose, reshape and packbits. Decoding
// must restore the chunks.
TEST(V3Blocks, RestoreAnyChunk) {
    Random random(20);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const char* const typestrs[] = {"|u1", "<i2", ">i4", "<u8", "<f4", ">f8", "<c16"};
        std::vector<std::uint64_t> shape;
        const std::uint64_t rank = random.Below(5);
        for (std::uint64_t i = 0; i < rank; ++i) shape.push_back(1 + random.Below(5));
        const CodecContext context = ContextOf(typestrs[random.Below(7)], shape);
        std::vector<std::uint64_t> axes;
        for (std::uint64_t i = 0; i < rank; ++i)
            axes.insert(axes.begin() + static_cast<std::ptrdiff_t>(random.Below(i + 1)), i);
        std::string order;
        for (const std::uint64_t axis : axes)
            order += (order.empty() ? "" : ",") + std::to_string(axis);
        const char* const endian = random.Chance() ? "big" : "little";
        const char* const last = random.Chance()
                                     ? R"({"name":"packbits"})"
                                     : R"({"name":"numcodecs.shuffle","configuration":{}})";
        std::string list = R"([{"name":"transpose","configuration":{"order":[)" + order +
                           R"(]}},{"name":"reshape","configuration":{"shape":[-1]}},)";
        if (std::string_view(last).find("packbits") == std::string_view::npos)
            list +=
                R"({"name":"bytes","configuration":{"endian":")" + std::string(endian) + R"("}},)";
        list += last + std::string("]");
        SCOPED_TRACE(list);
        const auto pipeline = BindV3(list, context);
        ASSERT_TRUE(Succeeds(pipeline));
        const std::string chunk = random.Bytes(pipeline->chunk_bytes());
        const auto encoded = EncodeV3Chunk(*pipeline, chunk);
        ASSERT_TRUE(Succeeds(encoded));
        const auto again = DecodeV3Chunk(*pipeline, *encoded);
        ASSERT_TRUE(Succeeds(again));
        ASSERT_EQ(*again, chunk);
        EXPECT_FALSE(DecodeV3Chunk(*pipeline, encoded->substr(1)).ok());
        EXPECT_FALSE(DecodeV3Chunk(*pipeline, *encoded + "x").ok());
    }
}

TEST(V3PackBits, KeepTheBitsThatCount) {
    Random random(21);
    for (int repeat = 0; repeat < 300; ++repeat) {
        const std::uint64_t last = random.Below(64);
        const std::uint64_t first = random.Below(last + 1);
        const bool is_signed = random.Chance();
        const std::size_t count = 1 + random.Below(20);
        const auto pipeline =
            BindV3(R"([{"name":"packbits","configuration":{"first_bit":)" + std::to_string(first) +
                       R"(,"last_bit":)" + std::to_string(last) + "}}]",
                   ContextOf(is_signed ? "<i8" : "<u8", {count}));
        ASSERT_TRUE(Succeeds(pipeline));
        std::vector<std::uint64_t> chunk;
        std::vector<std::uint64_t> expected;
        for (std::size_t i = 0; i < count; ++i) {
            chunk.push_back(random.Below(UINT64_MAX));
            const unsigned above = 63 - static_cast<unsigned>(last);
            const std::uint64_t high = chunk[i] << above;
            const std::uint64_t low =
                is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(high) >> above)
                          : high >> above;
            expected.push_back(low >> first << first);
        }
        const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(chunk));
        ASSERT_TRUE(Succeeds(encoded));
        EXPECT_EQ(encoded->size(), (count * (last - first + 1) + 7) / 8);
        const auto again = DecodeV3Chunk(*pipeline, *encoded);
        ASSERT_TRUE(Succeeds(again));
        EXPECT_EQ(ValuesOf<std::uint64_t>(*again), expected);
    }
}

constexpr const char* kConditional =
    R"(["bytes",{"name":"conditional","configuration":{"codecs":[
        {"name":"numcodecs.shuffle","configuration":{"elementsize":2}},"crc32c",
        {"name":"gzip","configuration":{"level":9}}]}}])";

TEST(V3Conditional, AppliesCompressorsThatHelp) {
    const auto pipeline = BindV3(kConditional, ContextOf("|u1", {300}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string same(300, 'a');
    const std::string noise = Random(7).Bytes(300);
    const auto small = EncodeV3Chunk(*pipeline, same);
    const auto large = EncodeV3Chunk(*pipeline, noise);
    ASSERT_TRUE(small.ok() && large.ok());
    EXPECT_EQ((*small)[0], '\7');
    EXPECT_LT(small->size(), 60U);
    EXPECT_EQ((*large)[0], '\3');
    EXPECT_EQ(large->size(), 305U);
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, *small), same);
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, *large), noise);
    // Another encoder may skip all codecs inside "conditional". Byte 0 of the encoded chunk is then
    // 0.
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, '\0' + noise), noise);
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, '\x0b' + large->substr(1)), StatusCode::kCorrupt,
                      "conditional: header bit 3 is set, but only 3 codecs exist"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, '\2' + noise), StatusCode::kCorrupt,
                      "conditional: codecs[1]"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, '\0' + noise + 'x'), StatusCode::kCorrupt));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, ""), StatusCode::kCorrupt, "header of 1"));
}

TEST(V3Conditional, SkipsCodecsThatCannotEncodeTheChunk) {
    // The chunk has 3 bytes. The codec, which takes elements of 2 bytes, cannot encode it.
    const auto pipeline = BindV3(kConditional, ContextOf("|u1", {3}));
    ASSERT_TRUE(Succeeds(pipeline));
    const auto encoded = EncodeV3Chunk(*pipeline, "abc");
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_EQ(encoded->substr(0, 4), "\2abc");
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, *encoded), "abc");
}

TEST(V3Conditional, HeaderHasTheConfiguredSize) {
    const auto pipeline = BindV3(
        R"(["bytes",{"name":"conditional","configuration":{"codecs":["crc32c"],"header_bits":24}}])",
        ContextOf("|u1", {3}));
    ASSERT_TRUE(Succeeds(pipeline));
    const auto encoded = EncodeV3Chunk(*pipeline, "abc");
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_EQ(encoded->substr(0, 6), "\1\0\0abc"s);
    EXPECT_EQ(encoded->size(), 10U);
    const auto none = BindV3(R"(["bytes",{"name":"conditional","configuration":{"codecs":[]}}])",
                             ContextOf("|u1", {3}));
    ASSERT_TRUE(Succeeds(none));
    EXPECT_EQ(*EncodeV3Chunk(*none, "abc"), "abc");
}

TEST(V3Conditional, RefusesWhatIsNoCodecOfBytes) {
    const struct {
        const char* configuration;
        const char* message;
    } cases[] = {
        {R"({})", "\"codecs\""},
        {R"({"codecs":7})", "codecs: expected an array"},
        {R"({"codecs":["transpose"]})", "codecs[0]: expected a bytes-to-bytes codec"},
        {R"({"codecs":["crc32c"],"header_bits":12})", "header_bits: expected a multiple of 8"},
        {R"({"codecs":["crc32c"],"header_bits":0})", "header_bits: expected an integer from 1"},
        {R"({"codecs":["crc32c"],"header_bits":99999999999})", "header_bits"},
        {R"({"codecs":[],"x":1})", "unknown member \"x\""},
        {R"({"codecs":[{"name":"gzip","configuration":{"level":10}}]})", "codecs[0]: gzip: level"},
    };
    for (const auto& c : cases)
        ExpectBindFails(
            R"([{"name":"conditional","configuration":)" + std::string(c.configuration) + "}]",
            ContextOf("|u1", {3}), StatusCode::kCorrupt, c.message);
    ExpectBindFails(R"([{"name":"conditional","configuration":{"codecs":["snow"]}}])",
                    ContextOf("|u1", {3}), StatusCode::kUnsupported, "unknown codec \"snow\"");
}

std::string N5List(const char* more = "", const char* order = "[1,0]") {
    return R"([{"name":"n5_default","configuration":{"codecs":[
        {"name":"transpose","configuration":{"order":)" +
           std::string(order) + R"(}},{"name":"bytes","configuration":{"endian":"big"}})" + more +
           "]}}]";
}

TEST(V3N5Default, HasTheBlocksOfN5) {
    ExpectV3(N5List(), ContextOf("<i2", {2, 3}), "\1\0\2\0\3\0\4\0\5\0\6\0"s,
             "\0\0\0\2\0\0\0\2\0\0\0\3\0\1\0\4\0\2\0\5\0\3\0\6"s);
}

TEST(V3N5Default, CutsOrFillsBlocksOfOtherShapes) {
    const auto pipeline = BindV3(N5List(), ContextOf("|u1", {2, 3}));
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, "\0\0\0\2\0\0\0\1\0\0\0\2ab"s), "ab\0\0\0\0"s);
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, "\0\0\0\2\0\0\0\3\0\0\0\2abcdef"s), "ad\0be\0"s);
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, "\0\0\0\2\0\0\0\0\0\0\0\7"s), std::string(6, '\0'));
}

TEST(V3N5Default, CompressesWhatFollowsTheHeader) {
    const auto pipeline = BindV3(N5List(R"(,{"name":"gzip","configuration":{"level":5}})"),
                                 ContextOf("<f4", {20, 30}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string chunk(2400, '\3');
    const auto encoded = EncodeV3Chunk(*pipeline, chunk);
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_LT(encoded->size(), 200U);
    EXPECT_EQ(encoded->substr(12, 2), "\x1f\x8b");
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, *encoded), chunk);
    for (std::size_t size = 0; size < encoded->size(); ++size)
        EXPECT_FALSE(DecodeV3Chunk(*pipeline, encoded->substr(0, size)).ok());
}

TEST(V3N5Default, RefusesOtherBlocks) {
    const auto pipeline = BindV3(N5List(), ContextOf("|u1", {2, 3}));
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, "\0\1\0\2\0\0\0\2\0\0\0\3abcdef"s),
                      StatusCode::kUnsupported, "unsupported N5 block mode 1"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, "\0\0\0\1\0\0\0\6\0\0\0\3abcdef"s),
                      StatusCode::kCorrupt, "1 dimensions instead of 2"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, "\0\0\0\2\xff\xff\xff\xff\xff\xff\xff\xff"s),
                      StatusCode::kLimit, "stored block decodes to"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, "\0\0\0\2\0\0\0\2\0\0\0\3abcde"s),
                      StatusCode::kCorrupt, "holds 5 bytes instead of 6"));
    EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, "\0\0\0\2\0\0\0\2\0\0"s), StatusCode::kCorrupt,
                      "N5's header"));
}

TEST(V3N5Default, RefusesOtherCodecs) {
    const CodecContext context = ContextOf("<i2", {2, 3});
    ExpectBindFails(N5List("", "[0,1]"), context, StatusCode::kCorrupt,
                    "codecs[0]: expected transpose with all dimensions reversed");
    ExpectBindFails(N5List(R"(,"crc32c","crc32c")"), context, StatusCode::kCorrupt, "got 4 codecs");
    ExpectBindFails(N5List(R"(,"packbits")"), context, StatusCode::kCorrupt, "codecs[2]");
    ExpectBindFails(R"([{"name":"n5_default","configuration":{"codecs":["bytes"]}}])", context,
                    StatusCode::kCorrupt, "got 1 codecs");
    ExpectBindFails(
        R"([{"name":"n5_default","configuration":{"codecs":[
            {"name":"transpose","configuration":{"order":[1,0]}},
            {"name":"bytes","configuration":{"endian":"little"}}]}}])",
        context, StatusCode::kCorrupt, "codecs[1]: expected bytes with endian \"big\"");
    ExpectBindFails(N5List(), ContextOf("<c8", {2, 3}), StatusCode::kUnsupported,
                    "N5 does not support dtype");
    ExpectBindFails(N5List(), ContextOf("<f2", {2, 3}), StatusCode::kUnsupported,
                    "N5 does not support dtype");
}

}  // namespace
}  // namespace zarr::test
