// SPDX-License-Identifier: MIT
// Tests of the Zarr v3 codecs that change numbers: cast_value, scale_offset, bitround and zfp.
// Expected results come from the specifications.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "autotest/cpp/codec/v3_codecs.h"
#include "core/dtype/narrow_types.h"

namespace zarr::test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

std::string OneCodec(const std::string& name, const std::string& configuration) {
    return R"([{"name":")" + name + R"(","configuration":)" + configuration + "}]";
}

std::string CastTo(const std::string& type, const std::string& more = "") {
    return OneCodec("cast_value", R"({"data_type":")" + type + "\"" + more + "}");
}

template <class To, class From>
Result<std::vector<To>> EncodeValues(const std::string& list, const char* typestr,
                                     const std::vector<From>& values) {
    ZARR_ASSIGN_OR_RETURN(const Pipeline pipeline,
                          BindV3(list, ContextOf(typestr, {values.size()})));
    ZARR_ASSIGN_OR_RETURN(const std::string encoded, EncodeV3Chunk(pipeline, BytesOf(values)));
    return ValuesOf<To>(encoded);
}

template <class To, class From>
Result<std::vector<To>> DecodeValues(const std::string& list, const char* typestr,
                                     const std::vector<From>& values) {
    ZARR_ASSIGN_OR_RETURN(const Pipeline pipeline,
                          BindV3(list, ContextOf(typestr, {values.size()})));
    ZARR_ASSIGN_OR_RETURN(const std::string decoded, DecodeV3Chunk(pipeline, BytesOf(values)));
    return ValuesOf<To>(decoded);
}

template <class T>
void ExpectValues(const Result<std::vector<T>>& values, const std::vector<T>& expected) {
    ASSERT_TRUE(Succeeds(values));
    EXPECT_EQ(*values, expected);
}

TEST(V3CastValue, RoundsByTheConfiguration) {
    const std::vector<double> values = {2.5, -2.5, 3.5, 2.4, -2.6, 2, -0.0};
    const struct {
        const char* rounding;
        std::vector<std::int8_t> expected;
    } cases[] = {
        {"nearest-even", {2, -2, 4, 2, -3, 2, 0}},
        {"towards-zero", {2, -2, 3, 2, -2, 2, 0}},
        {"towards-positive", {3, -2, 4, 3, -2, 2, 0}},
        {"towards-negative", {2, -3, 3, 2, -3, 2, 0}},
        {"nearest-away", {3, -3, 4, 2, -3, 2, 0}},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.rounding);
        ExpectValues(
            EncodeValues<std::int8_t>(
                CastTo("int8", R"(,"rounding":")" + std::string(c.rounding) + "\""), "<f8", values),
            c.expected);
    }
    ExpectValues(EncodeValues<std::int8_t>(CastTo("int8"), "<f8", values), cases[0].expected);
}

TEST(V3CastValue, RoundsToFloatsByTheConfiguration) {
    // 1 + 2^-24 lies in the middle between two float32 numbers, and so does 2^24 + 1.
    const double value = 1 + std::ldexp(1.0, -24);
    const std::vector<double> values = {value, -value};
    const std::vector<std::int64_t> integers = {16777217, -16777217, 16777219};
    const float up = std::nextafter(1.0F, 2.0F);
    const struct {
        const char* rounding;
        std::vector<float> expected;
        std::vector<float> of_integers;
    } cases[] = {
        {"nearest-even", {1, -1}, {16777216, -16777216, 16777220}},
        {"towards-zero", {1, -1}, {16777216, -16777216, 16777218}},
        {"towards-positive", {up, -1}, {16777218, -16777216, 16777220}},
        {"towards-negative", {1, -up}, {16777216, -16777218, 16777218}},
        {"nearest-away", {up, -up}, {16777218, -16777218, 16777220}},
    };
    for (const auto& c : cases) {
        SCOPED_TRACE(c.rounding);
        const std::string list =
            CastTo("float32", R"(,"rounding":")" + std::string(c.rounding) + "\"");
        ExpectValues(EncodeValues<float>(list, "<f8", values), c.expected);
        ExpectValues(EncodeValues<float>(list, "<i8", integers), c.of_integers);
    }
}

TEST(V3CastValue, FailsOutOfRangeByDefault) {
    const std::vector<double> over = {128};
    EXPECT_TRUE(Fails(EncodeValues<std::int8_t>(CastTo("int8"), "<f8", over),
                      StatusCode::kInvalidArgument,
                      "cast_value: the float64 128.0 cannot be converted to int8"));
    ExpectValues(EncodeValues<std::int8_t>(CastTo("int8", R"(,"out_of_range":"clamp")"), "<f8",
                                           std::vector<double>{128, -129, 1e300, -1e300, 127.4}),
                 {127, -128, 127, -128, 127});
    ExpectValues(EncodeValues<std::int8_t>(CastTo("int8", R"(,"out_of_range":"wrap")"), "<f8",
                                           std::vector<double>{128, -129, 256, 384.5}),
                 {-128, 127, 0, -128});
    ExpectValues(EncodeValues<std::int16_t>(CastTo("int16", R"(,"out_of_range":"wrap")"), "<i4",
                                            std::vector<std::int32_t>{32768, 32769, -32769}),
                 {-32768, -32767, 32767});
    ExpectValues(EncodeValues<std::uint64_t>(CastTo("uint64", R"(,"out_of_range":"wrap")"), "<f8",
                                             std::vector<double>{-1, 18446744073709551616.0}),
                 {UINT64_MAX, 0});
    ExpectValues(EncodeValues<std::int64_t>(CastTo("int64", R"(,"out_of_range":"clamp")"), "<f8",
                                            std::vector<double>{9223372036854775808.0, -1e19}),
                 {INT64_MAX, INT64_MIN});
    ExpectValues(EncodeValues<std::uint64_t>(CastTo("uint64", R"(,"out_of_range":"clamp")"), "<i8",
                                             std::vector<std::int64_t>{-1, INT64_MAX}),
                 {0, std::uint64_t{INT64_MAX}});
    // A number just outside of the range is accepted if it rounds into the range.
    ExpectValues(EncodeValues<std::uint8_t>(CastTo("uint8"), "<f8", std::vector<double>{255.5 - 1}),
                 {254});
    EXPECT_FALSE(
        EncodeValues<std::uint8_t>(CastTo("uint8"), "<f8", std::vector<double>{255.5}).ok());
}

TEST(V3CastValue, OverflowsFloatsToInfinityIfItClamps) {
    const std::string clamp = R"(,"out_of_range":"clamp")";
    const std::vector<double> over = {1e39, -1e39, kInf};
    ExpectValues(EncodeValues<float>(CastTo("float32", clamp), "<f8", over),
                 {HUGE_VALF, -HUGE_VALF, HUGE_VALF});
    EXPECT_TRUE(Fails(EncodeValues<float>(CastTo("float32"), "<f8", over),
                      StatusCode::kInvalidArgument, "1e+39 cannot be converted to float32"));
    // 65519.99 rounds to the largest float16. 65520 is out of range.
    ExpectValues(EncodeValues<std::uint16_t>(CastTo("float16", clamp), "<f8",
                                             std::vector<double>{65519.99, 65520, 6e-8, 1e-9}),
                 {0x7bff, 0x7c00, 1, 0});
    ExpectValues(EncodeValues<std::uint16_t>(CastTo("float16", R"(,"rounding":"towards-positive")"),
                                             "<f8", std::vector<double>{1e-9, -1e-9, 1.0001}),
                 {1, 0x8000, 0x3c01});
    EXPECT_FALSE(
        EncodeValues<std::uint16_t>(CastTo("float16"), "<i4", std::vector<std::int32_t>{65520})
            .ok());
}

TEST(V3CastValue, KeepsNanInfinityAndSignedZero) {
    const auto values =
        EncodeValues<float>(CastTo("float32"), "<f8", std::vector<double>{kNan, kInf, -kInf, -0.0});
    ASSERT_TRUE(Succeeds(values));
    EXPECT_TRUE(std::isnan((*values)[0]));
    EXPECT_EQ((*values)[1], HUGE_VALF);
    EXPECT_EQ((*values)[2], -HUGE_VALF);
    EXPECT_TRUE(std::signbit((*values)[3]));
    for (const char* more : {"", R"(,"out_of_range":"clamp")", R"(,"out_of_range":"wrap")"})
        for (const double value : {kNan, kInf, -kInf})
            EXPECT_FALSE(
                EncodeValues<std::uint8_t>(CastTo("uint8", more), "<f8", std::vector<double>{value})
                    .ok());
}

TEST(V3CastValue, MapsScalarsBeforeAnythingElse) {
    const std::string list = CastTo(
        "uint8",
        R"(,"scalar_map":{"encode":[["NaN",0],["+Infinity",255],["-Infinity",1],[300,7],[300,8],
            ["0x4059000000000000",9]],"decode":[[0,"NaN"],[255,"Infinity"]]})");
    ExpectValues(EncodeValues<std::uint8_t>(
                     list, "<f8", std::vector<double>{kNan, kInf, -kInf, 300, 100, 5, -kNan}),
                 {0, 255, 1, 7, 9, 5, 0});
    const auto decoded =
        DecodeValues<double>(list, "<f8", std::vector<std::uint8_t>{0, 255, 1, 100});
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_TRUE(std::isnan((*decoded)[0]));
    EXPECT_EQ((*decoded)[1], kInf);
    EXPECT_EQ((*decoded)[2], 1);
    EXPECT_EQ((*decoded)[3], 100);
}

TEST(V3CastValue, AppliesTheSameRulesToDecoding) {
    EXPECT_TRUE(
        Fails(DecodeValues<std::int8_t>(CastTo("uint8"), "|i1", std::vector<std::uint8_t>{1, 200}),
              StatusCode::kCorrupt, "the uint8 200 cannot be converted to int8"));
    ExpectValues(DecodeValues<std::int8_t>(CastTo("uint8", R"(,"out_of_range":"wrap")"), "|i1",
                                           std::vector<std::uint8_t>{1, 200}),
                 {1, -56});
    ExpectValues(DecodeValues<std::int16_t>(
                     CastTo("float32", R"(,"rounding":"towards-zero","out_of_range":"clamp")"),
                     "<i2", std::vector<float>{1.9F, -1.9F, 4e4F}),
                 {1, -1, 32767});
}

TEST(V3CastValue, SupportsIntegersOfFewBits) {
    ExpectValues(EncodeValues<std::int8_t>(CastTo("int4", R"(,"out_of_range":"wrap")"), "<i2",
                                           std::vector<std::int16_t>{7, 8, -8, -9, 23}),
                 {7, -8, -8, 7, 7});
    ExpectValues(EncodeValues<std::uint8_t>(CastTo("uint2", R"(,"out_of_range":"clamp")"), "<f4",
                                            std::vector<float>{-1, 2.5F, 3.4F, 9}),
                 {0, 2, 3, 3});
    // An int4 takes the lower 4 bits of a byte. The upper 4 bits are ignored.
    ExpectValues(DecodeValues<std::int16_t>(CastTo("int4"), "<i2",
                                            std::vector<std::uint8_t>{0x5f, 0x07, 0xf8}),
                 {-1, 7, -8});
    const std::string packed =
        R"([{"name":"cast_value","configuration":{"data_type":"uint4"}},"packbits"])";
    ExpectV3(packed, ContextOf("<u2", {3}), BytesOf(std::vector<std::uint16_t>{1, 15, 4}),
             "\xf1\x04");
}

TEST(V3CastValue, SwapsOtherByteOrders) {
    ExpectV3(CastTo("uint16"), ContextOf(">i4", {2}), std::string("\0\0\1\2\0\0\0\7", 8),
             std::string("\2\1\7\0", 4));
}

TEST(V3CastValue, RefusesOtherConfigurations) {
    const struct {
        const char* configuration;
        const char* message;
    } cases[] = {
        {"{}", "\"data_type\""},
        {R"({"data_type":7})", "data_type: expected a data type of real numbers"},
        {R"({"data_type":"bool"})", "data_type: expected"},
        {R"({"data_type":"complex64"})", "data_type: expected"},
        {R"({"data_type":"u1"})", "data_type: expected"},
        {R"({"data_type":"int8","rounding":"up"})", "rounding: expected \"nearest-even\", "},
        {R"({"data_type":"int8","rounding":null})", "rounding: expected"},
        {R"({"data_type":"int8","out_of_range":"error"})",
         R"(out_of_range: expected "clamp" or "wrap")"},
        {R"({"data_type":"float32","out_of_range":"wrap"})", "out_of_range: \"wrap\" requires"},
        {R"({"data_type":"int8","scalar_map":[]})", "scalar_map: configuration: expected"},
        {R"({"data_type":"int8","scalar_map":{"x":[]}})", "scalar_map: unknown member \"x\""},
        {R"({"data_type":"int8","scalar_map":{"encode":7}})", "scalar_map.encode: expected"},
        {R"({"data_type":"int8","scalar_map":{"encode":[[1]]}})", "scalar_map.encode[0]: expected"},
        {R"({"data_type":"int8","scalar_map":{"encode":[["x",1]]}})", "scalar_map.encode[0]"},
        {R"({"data_type":"int8","scalar_map":{"encode":[[1,2],[1,300]]}})",
         "scalar_map.encode[1]: expected a number of type int8"},
        {R"({"data_type":"int8","scalar_map":{"decode":[[1.5,1]]}})", "scalar_map.decode[0]"},
        {R"({"data_type":"int8","wrap":true})", "unknown member \"wrap\""},
    };
    for (const auto& c : cases)
        EXPECT_TRUE(Fails(BindV3(OneCodec("cast_value", c.configuration), ContextOf("<f8", {3})),
                          StatusCode::kCorrupt, c.message))
            << c.configuration;
    EXPECT_TRUE(Fails(BindV3(CastTo("float8_e5m2"), ContextOf("<f8", {3})),
                      StatusCode::kUnsupported, "cannot calculate with data type float8_e5m2"));
    EXPECT_TRUE(Fails(BindV3(CastTo("int8"), ContextOf("<c8", {3})), StatusCode::kUnsupported,
                      "cannot calculate with data type complex64"));
    EXPECT_TRUE(Succeeds(
        BindV3(OneCodec("cast_value", R"({"data_type":{"name":"int8"}})"), ContextOf("<f8", {3}))));
}

// An integer that both types can represent must not change if it is cast and cast back.
TEST(V3CastValue, RestoresNumbersThatBothTypesHave) {
    Random random(22);
    const char* const names[] = {"int8",  "uint8",  "int16",   "uint16",  "int32",  "uint32",
                                 "int64", "uint64", "float16", "float32", "float64"};
    const char* const typestrs[] = {"|i1", "|u1", "<i2", ">u2", ">i4", "<u4",
                                    "<i8", ">u8", "<f2", ">f4", "<f8"};
    for (int repeat = 0; repeat < 200; ++repeat) {
        // Decodes each byte to a number of type `typestr`.
        const std::string first = CastTo("uint8");
        const char* const typestr = typestrs[random.Below(11)];
        const auto source = BindV3(first, ContextOf(typestr, {64}));
        const auto subject = BindV3(CastTo(names[random.Below(11)]), ContextOf(typestr, {64}));
        ASSERT_TRUE(source.ok() && subject.ok());
        std::string bytes;
        for (int i = 0; i < 64; ++i) bytes += static_cast<char>(random.Below(128));
        const auto chunk = DecodeV3Chunk(*source, bytes);
        ASSERT_TRUE(Succeeds(chunk));
        const auto encoded = EncodeV3Chunk(*subject, *chunk);
        ASSERT_TRUE(Succeeds(encoded));
        const auto again = DecodeV3Chunk(*subject, *encoded);
        ASSERT_TRUE(Succeeds(again));
        EXPECT_EQ(*again, *chunk);
    }
}

TEST(V3CastValue, SurvivesAnyBytes) {
    Random random(23);
    const char* const names[] = {"int2", "uint4", "int32", "uint64", "float16", "float32"};
    const char* const typestrs[] = {"<f2", "<f4", "<f8", "<i8", "<u8"};
    const char* const rules[] = {"", R"(,"out_of_range":"clamp")",
                                 R"(,"rounding":"towards-negative")",
                                 R"(,"rounding":"nearest-away","out_of_range":"clamp")"};
    for (int repeat = 0; repeat < 500; ++repeat) {
        const auto pipeline = BindV3(CastTo(names[random.Below(6)], rules[random.Below(4)]),
                                     ContextOf(typestrs[random.Below(5)], {4}));
        ASSERT_TRUE(Succeeds(pipeline));
        const auto encoded = EncodeV3Chunk(*pipeline, random.Bytes(pipeline->chunk_bytes()));
        if (encoded.ok()) {
            EXPECT_EQ(encoded->size(), pipeline->encoded_size().max);
        }
        const auto decoded = DecodeV3Chunk(*pipeline, random.Bytes(pipeline->encoded_size().max));
        EXPECT_TRUE(decoded.ok() || decoded.status().code() == StatusCode::kCorrupt);
    }
}

TEST(V3ScaleOffset, CalculatesInTheArraysType) {
    const std::string list = OneCodec("scale_offset", R"({"offset":5,"scale":0.1})");
    const float scaled = (7.25F - 5.0F) * 0.1F;
    ExpectValues(EncodeValues<float>(list, "<f4", std::vector<float>{5, 7.25F}), {0, scaled});
    ExpectValues(DecodeValues<float>(list, "<f4", std::vector<float>{0, scaled}),
                 {5, scaled / 0.1F + 5.0F});
    ExpectValues(
        EncodeValues<std::uint16_t>(R"([{"name":"scale_offset","configuration":{"offset":1000}}])",
                                    "<u2", std::vector<std::uint16_t>{1000, 1255}),
        {0, 255});
    ExpectValues(EncodeValues<std::int8_t>(OneCodec("scale_offset", R"({"offset":-3,"scale":-2})"),
                                           "|i1", std::vector<std::int8_t>{-3, 10, -60}),
                 {0, -26, 114});
    ExpectValues(DecodeValues<std::int8_t>(OneCodec("scale_offset", R"({"offset":-3,"scale":-2})"),
                                           "|i1", std::vector<std::int8_t>{0, -26, 114}),
                 {-3, 10, -60});
    ExpectValues(EncodeValues<std::uint16_t>(OneCodec("scale_offset", R"({"scale":2})"), "<f2",
                                             std::vector<std::uint16_t>{0x3c00, 0xfc00}),
                 {0x4000, 0xfc00});
    ExpectValues(EncodeValues<std::int64_t>(R"(["scale_offset"])", "<i8",
                                            std::vector<std::int64_t>{INT64_MIN, INT64_MAX}),
                 {INT64_MIN, INT64_MAX});
}

TEST(V3ScaleOffset, FailsIfTheTypeLacksTheResult) {
    const auto encode = [](const char* configuration, std::int64_t value) {
        return EncodeValues<std::int64_t>(OneCodec("scale_offset", configuration), "<i8",
                                          std::vector<std::int64_t>{value})
            .status();
    };
    EXPECT_TRUE(Fails(encode(R"({"offset":1})", INT64_MIN), StatusCode::kInvalidArgument,
                      "scale_offset: the result for -9223372036854775808 is not a valid int64"));
    EXPECT_FALSE(encode(R"({"scale":2})", INT64_MAX).ok());
    EXPECT_FALSE(encode(R"({"offset":-9223372036854775808})", 0).ok());
    EXPECT_TRUE(encode(R"({"offset":-9223372036854775808})", -1).ok());
    EXPECT_FALSE(EncodeValues<std::uint8_t>(OneCodec("scale_offset", R"({"offset":1})"), "|u1",
                                            std::vector<std::uint8_t>{0})
                     .ok());
    // Results that the type cannot represent are errors: half of an odd integer, a division by
    // zero, an overflow.
    const auto decode = [](const char* configuration, std::int64_t value) {
        return DecodeValues<std::int64_t>(OneCodec("scale_offset", configuration), "<i8",
                                          std::vector<std::int64_t>{value})
            .status();
    };
    EXPECT_TRUE(
        Fails(decode(R"({"scale":2})", 7), StatusCode::kCorrupt, "the result for 7 is not"));
    EXPECT_TRUE(Succeeds(decode(R"({"scale":2})", 8)));
    EXPECT_FALSE(decode(R"({"scale":0})", 0).ok());
    EXPECT_FALSE(decode(R"({"scale":-1})", INT64_MIN).ok());
    EXPECT_FALSE(EncodeValues<float>(OneCodec("scale_offset", R"({"scale":1e30})"), "<f4",
                                     std::vector<float>{1e30F})
                     .ok());
}

TEST(V3ScaleOffset, RefusesOtherConfigurations) {
    const struct {
        const char* configuration;
        const char* message;
    } cases[] = {
        {R"({"offset":"a"})", "offset: expected a number of type int16"},
        {R"({"offset":1.5})", "offset: expected a number of type int16"},
        {R"({"scale":32768})", "scale: expected a number of type int16"},
        {R"({"scale":null})", "scale: expected"},
        {R"({"astype":"uint8"})", "unknown member \"astype\""},
    };
    for (const auto& c : cases)
        EXPECT_TRUE(Fails(BindV3(OneCodec("scale_offset", c.configuration), ContextOf("<i2", {3})),
                          StatusCode::kCorrupt, c.message))
            << c.configuration;
    EXPECT_TRUE(Fails(BindV3(R"(["scale_offset"])", ContextOf("|b1", {3})),
                      StatusCode::kUnsupported, "cannot calculate with data type bool"));
}

TEST(V3BitRound, RoundsFloatsToNearestEven) {
    const auto list = [](int bits) {
        return OneCodec("bitround", "{\"keepbits\":" + std::to_string(bits) + "}");
    };
    ExpectValues(EncodeValues<float>(list(2), "<f4",
                                     std::vector<float>{1.1F, 1.125F, 1.375F, -1.9F, HUGE_VALF}),
                 {1.0F, 1.0F, 1.5F, -2.0F, HUGE_VALF});
    ExpectValues(EncodeValues<double>(list(60), "<f8", std::vector<double>{1.1, 1e300}),
                 {1.1, 1e300});
    const auto nan = EncodeValues<std::uint32_t>(
        list(1), "<f4", std::vector<std::uint32_t>{0x7fffffff, 0xff800001});
    ExpectValues(nan, {0x7fffffff, 0xff800001});
    ExpectValues(DecodeValues<float>(list(2), "<f4", std::vector<float>{1.1F}), {1.1F});
    CodecContext bfloat = ContextOf("<f2", {2});
    bfloat.dtype.narrow = NarrowType::kBfloat16;
    const auto pipeline = BindV3(list(3), bfloat);
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_EQ(ValuesOf<std::uint16_t>(
                  *EncodeV3Chunk(*pipeline, BytesOf(std::vector<std::uint16_t>{0x3f88, 0x3f89}))),
              (std::vector<std::uint16_t>{0x3f80, 0x3f90}));
}

TEST(V3BitRound, RoundsIntegersFromTheirHighestBit) {
    const auto list = [](int bits) {
        return OneCodec("bitround", "{\"keepbits\":" + std::to_string(bits) + "}");
    };
    ExpectValues(EncodeValues<std::uint8_t>(list(2), "|u1",
                                            std::vector<std::uint8_t>{0, 1, 3, 5, 7, 200, 255}),
                 {0, 1, 3, 4, 8, 192, 192});
    ExpectValues(EncodeValues<std::int8_t>(list(2), "|i1",
                                           std::vector<std::int8_t>{-1, -7, 100, -128, 127, -127}),
                 {-1, -8, 96, -128, 96, -128});
    ExpectValues(
        EncodeValues<std::uint64_t>(list(1), "<u8", std::vector<std::uint64_t>{UINT64_MAX, 6}),
        {std::uint64_t{1} << 63, 8});
    ExpectValues(EncodeValues<std::int64_t>(list(3), "<M8[s]", std::vector<std::int64_t>{1000}),
                 {1024});
}

TEST(V3BitRound, ReadsWhatItDoesNotRound) {
    const auto pipeline = BindV3(OneCodec("bitround", R"({"keepbits":3})"),
                                 NarrowContext(NarrowType::kFloat8E5m2, DataKind::kFloat, 3));
    ASSERT_TRUE(Succeeds(pipeline));
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, "abc"), "abc");
    EXPECT_TRUE(
        Fails(pipeline->writable(), StatusCode::kUnsupported, "round items of type float8_e5m2"));
    for (const char* configuration : {"{}", R"({"keepbits":0})", R"({"keepbits":"3"})",
                                      R"({"keepbits":2.5})", R"({"keepbits":null})"})
        EXPECT_TRUE(Fails(BindV3(OneCodec("bitround", configuration), ContextOf("<f4", {3})),
                          StatusCode::kCorrupt, "keepbits"))
            << configuration;
}

template <class T>
void ExpectZfpIsReversible(const char* typestr, const std::vector<std::uint64_t>& shape) {
    SCOPED_TRACE(typestr);
    std::size_t count = 1;
    for (const std::uint64_t n : shape) count *= n;
    std::vector<T> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(static_cast<T>(i * 7 % 100));
    const auto pipeline =
        BindV3(OneCodec("zfp", R"({"mode":"reversible"})"), ContextOf(typestr, shape));
    ASSERT_TRUE(Succeeds(pipeline));
    const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(values));
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_LE(encoded->size(), pipeline->encoded_size().max);
    const auto again = DecodeV3Chunk(*pipeline, *encoded);
    ASSERT_TRUE(Succeeds(again));
    EXPECT_EQ(ValuesOf<T>(*again), values);
    EXPECT_FALSE(DecodeV3Chunk(*pipeline, encoded->substr(0, encoded->size() / 2)).ok());
    EXPECT_FALSE(DecodeV3Chunk(*pipeline, "").ok());
}

TEST(V3Zfp, HasNumbersOfAllSizes) {
    ExpectZfpIsReversible<float>("<f4", {5, 6, 7});
    ExpectZfpIsReversible<double>("<f8", {3, 2, 3, 2});
    ExpectZfpIsReversible<std::int32_t>("<i4", {40});
    ExpectZfpIsReversible<std::int64_t>("<i8", {9, 9});
    ExpectZfpIsReversible<std::int8_t>("|i1", {9, 9});
    ExpectZfpIsReversible<std::uint8_t>("|u1", {81});
    ExpectZfpIsReversible<std::int16_t>("<i2", {9, 9});
    ExpectZfpIsReversible<std::uint16_t>("<u2", {9, 9});
    ExpectZfpIsReversible<double>("<f8", {});
    ExpectZfpIsReversible<std::uint32_t>("<u4", {9, 9});
    ExpectZfpIsReversible<std::uint64_t>("<u8", {81});
    ExpectZfpIsReversible<std::int64_t>("<M8[s]", {9, 9});
    ExpectZfpIsReversible<std::int64_t>("<m8[25ms]", {9, 9});
}

std::string ZfpOf(const char* typestr, const std::string& chunk, const std::string& mode,
                  std::uint64_t count) {
    const auto pipeline = BindV3(OneCodec("zfp", mode), ContextOf(typestr, {count}));
    EXPECT_TRUE(Succeeds(pipeline));
    const auto encoded = EncodeV3Chunk(*pipeline, chunk);
    EXPECT_TRUE(Succeeds(encoded));
    return encoded.ok() ? *encoded : "";
}

TEST(V3Zfp, UnsignedNumbersAndTimesAreSignedOnesOfTheirBits) {
    const std::string reversible = R"({"mode":"reversible"})";
    const std::vector<std::uint32_t> small = {0, 1, 0xffffffffU, 0x80000000U, 7};
    EXPECT_EQ(ZfpOf("<u4", BytesOf(small), reversible, 5),
              ZfpOf("<i4", BytesOf(small), reversible, 5));
    const std::vector<std::uint64_t> large = {0, 1, ~std::uint64_t{0}, std::uint64_t{1} << 63U, 7};
    for (const char* typestr : {"<u8", "<M8[s]", "<m8[D]"})
        EXPECT_EQ(ZfpOf(typestr, BytesOf(large), reversible, 5),
                  ZfpOf("<i8", BytesOf(large), reversible, 5))
            << typestr;
    const auto pipeline = BindV3(OneCodec("zfp", reversible), ContextOf("<u8", {5}));
    ASSERT_TRUE(Succeeds(pipeline));
    const auto again = DecodeV3Chunk(*pipeline, ZfpOf("<u8", BytesOf(large), reversible, 5));
    ASSERT_TRUE(Succeeds(again));
    EXPECT_EQ(ValuesOf<std::uint64_t>(*again), large);
}

template <class Int>
void ExpectZfpIsCut(const char* typestr, const char* signed_typestr) {
    SCOPED_TRACE(typestr);
    const std::string mode = R"({"mode":"fixed_precision","precision":64})";
    const auto pipeline = BindV3(OneCodec("zfp", mode), ContextOf(typestr, {4}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::vector<Int> negative = {static_cast<Int>(-1000), static_cast<Int>(-2), 1000, 3000};
    const auto cut = DecodeV3Chunk(*pipeline, ZfpOf(signed_typestr, BytesOf(negative), mode, 4));
    ASSERT_TRUE(Succeeds(cut));
    const std::vector<Int> values = ValuesOf<Int>(*cut);
    EXPECT_EQ(values[0], 0U);
    EXPECT_EQ(values[1], 0U);
    EXPECT_NEAR(static_cast<double>(values[3]), 3000, 2);
    EXPECT_TRUE(Fails(EncodeV3Chunk(*pipeline, BytesOf(negative)), StatusCode::kInvalidArgument,
                      "require the mode \"reversible\""));
    EXPECT_TRUE(Succeeds(EncodeV3Chunk(*pipeline, BytesOf(std::vector<Int>{1, 2, 3, 4}))));
}

TEST(V3Zfp, InexactUnsignedNumbersStayWithinTheSign) {
    ExpectZfpIsCut<std::uint32_t>("<u4", "<i4");
    ExpectZfpIsCut<std::uint64_t>("<u8", "<i8");
}

// Every finite value of a narrow type must be the same after zfp encoding and decoding.
TEST(V3Zfp, HasNarrowNumbers) {
    for (int type = 1; type <= static_cast<int>(NarrowType::kFloat8E8m0fnu); ++type) {
        const auto narrow = static_cast<NarrowType>(type);
        const NarrowFormat& format = FormatOf(narrow);
        SCOPED_TRACE(format.name);
        std::string chunk;
        std::uint64_t count = 0;
        for (unsigned code = 0; code < (1U << format.bits); ++code) {
            const double value = NarrowToDouble(narrow, static_cast<std::uint16_t>(code));
            if (!std::isfinite(value) || (value == 0 && std::signbit(value))) continue;
            const auto bits = static_cast<std::uint16_t>(code);
            chunk += static_cast<char>(bits);
            if (format.bits > 8) chunk += static_cast<char>(bits >> 8U);
            ++count;
        }
        CodecContext context;
        context.dtype = MakeNarrowType(narrow, false);
        context.chunk_shape = {count};
        const auto pipeline = BindV3(OneCodec("zfp", R"({"mode":"reversible"})"), context);
        ASSERT_TRUE(Succeeds(pipeline));
        const auto encoded = EncodeV3Chunk(*pipeline, chunk);
        ASSERT_TRUE(Succeeds(encoded));
        const auto again = DecodeV3Chunk(*pipeline, *encoded);
        ASSERT_TRUE(Succeeds(again));
        // Decoding extends the sign into the unused upper bits of a byte. The loop clears these
        // bits.
        std::string bits = *again;
        if (format.bits < 8)
            for (char& byte : bits) byte = static_cast<char>(byte & ((1 << format.bits) - 1));
        EXPECT_EQ(bits, chunk);
    }
}

TEST(V3Zfp, TakesEveryMode) {
    std::vector<float> values;
    for (int i = 0; i < 400; ++i) values.push_back(std::sin(static_cast<float>(i) / 9));
    for (const char* mode :
         {R"({"mode":"fixed_accuracy","tolerance":0.05})", R"({"mode":"fixed_rate","rate":10.5})",
          R"({"mode":"fixed_precision","precision":19})",
          R"({"mode":"expert","minbits":1,"maxbits":300,"maxprec":24,"minexp":-10})"}) {
        SCOPED_TRACE(mode);
        const auto pipeline = BindV3(OneCodec("zfp", mode), ContextOf("<f4", {20, 20}));
        ASSERT_TRUE(Succeeds(pipeline));
        const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(values));
        ASSERT_TRUE(Succeeds(encoded));
        EXPECT_LT(encoded->size(), 1600U);
        const auto again = DecodeV3Chunk(*pipeline, *encoded);
        ASSERT_TRUE(Succeeds(again));
        const std::vector<float> decoded = ValuesOf<float>(*again);
        for (std::size_t i = 0; i < values.size(); ++i)
            ASSERT_NEAR(decoded[i], values[i], 0.05) << i;
    }
}

TEST(V3Zfp, RefusesWhatLibzfpLacks) {
    const std::string list = OneCodec("zfp", R"({"mode":"reversible"})");
    EXPECT_TRUE(Fails(BindV3(list, ContextOf("|b1", {3})), StatusCode::kUnsupported,
                      "zfp: libzfp does not support data type bool"));
    EXPECT_TRUE(Fails(BindV3(list, ContextOf("<c8", {3})), StatusCode::kUnsupported, "complex64"));
    EXPECT_TRUE(Fails(BindV3(list, ContextOf("<f4", {1, 1, 1, 1, 1})), StatusCode::kUnsupported,
                      "at most 4 dimensions, but the chunk has 5"));
    const struct {
        const char* configuration;
        const char* message;
    } cases[] = {
        {"{}", "\"mode\""},
        {R"({"mode":5})", "mode: expected \"reversible\""},
        {R"({"mode":"reversible","tolerance":1})", "unknown member \"tolerance\""},
        {R"({"mode":"fixed_accuracy"})", "\"tolerance\""},
        {R"({"mode":"fixed_accuracy","tolerance":-1})", "tolerance: expected a number >= 0"},
        {R"({"mode":"fixed_rate","rate":"8"})", "rate: expected"},
        {R"({"mode":"fixed_rate","rate":1e30})", "rate: expected"},
        {R"({"mode":"fixed_precision","precision":-1})", "precision: expected"},
        {R"({"mode":"fixed_precision","precision":1,"write_header":true})", "write_header"},
        {R"({"mode":"expert","minbits":0,"maxbits":1,"maxprec":1})", "\"minexp\""},
        {R"({"mode":"expert","minbits":9,"maxbits":8,"maxprec":1,"minexp":0})", "maxbits"},
        {R"({"mode":"expert","minbits":9,"maxbits":9,"maxprec":65,"minexp":0})", "maxprec"},
        {R"({"mode":"expert","minbits":99999,"maxbits":99999,"maxprec":1,"minexp":0})", "minbits"},
    };
    for (const auto& c : cases)
        EXPECT_TRUE(Fails(BindV3(OneCodec("zfp", c.configuration), ContextOf("<f4", {3})),
                          StatusCode::kCorrupt, c.message))
            << c.configuration;
}

TEST(V3Zfp, SurvivesAnyBytes) {
    Random random(24);
    for (
        const char* mode :
        {R"({"mode":"reversible"})", R"({"mode":"fixed_rate","rate":10.5})",
         R"({"mode":"expert","minbits":16658,"maxbits":4294967295,"maxprec":64,"minexp":-1074})"}) {
        for (const char* typestr : {"<f4", "<i8", "|u1"}) {
            const auto pipeline = BindV3(OneCodec("zfp", mode), ContextOf(typestr, {5, 5}));
            ASSERT_TRUE(Succeeds(pipeline));
            for (int repeat = 0; repeat < 100; ++repeat)
                static_cast<void>(DecodeV3Chunk(*pipeline, random.Bytes(random.Below(600))).ok());
        }
    }
}

}  // namespace
}  // namespace zarr::test
