// SPDX-License-Identifier: MIT
// Tests of the codec zarrs.optional. The tests build the expected bytes from its documentation.
#include <gtest/gtest.h>

#include <limits>

#include "autotest/cpp/codec/v3_codecs.h"
#include "core/dtype/v3_types.h"
#include "core/metadata/array_metadata.h"
#include "core/metadata/v3_metadata.h"

namespace zarr::test {
namespace {

const char* const kOptionalCodecs =
    R"([{"name": "zarrs.optional", "configuration": {"mask_codecs": [{"name": "bytes"}],)"
    R"( "data_codecs": [{"name": "bytes", "configuration": {"endian": "big"}}]}}])";

CodecContext OptionalOf(const std::string& type, std::vector<std::uint64_t> shape) {
    CodecContext context;
    auto dtype = ParseV3DataType(Json(R"({"name": "zarrs.optional", "configuration": {"name": ")" +
                                      type + R"(", "configuration": {}}})"));
    EXPECT_TRUE(Succeeds(dtype));
    if (dtype.ok()) context.dtype = dtype.Take().Native();
    context.chunk_shape = std::move(shape);
    return context;
}

std::string Length(std::uint64_t number) {
    std::string bytes;
    for (int i = 0; i < 8; ++i) bytes += static_cast<char>(number >> static_cast<unsigned>(8 * i));
    return bytes;
}

std::string Stored(const std::string& mask, const std::string& data) {
    return Length(mask.size()) + Length(data.size()) + mask + data;
}

TEST(V3Optional, MissingElementsAreTheLeastOrLargestNumber) {
    const auto pipeline = BindV3(kOptionalCodecs, OptionalOf("int16", {2, 3}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string stored =
        Stored(std::string("\1\0\1\0\0\1", 6), std::string("\0\1\0\2\xff\xff", 6));
    const std::vector<std::int16_t> values = {1, -32768, 2, -32768, -32768, -1};
    const auto decoded = DecodeV3Chunk(*pipeline, stored);
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(ValuesOf<std::int16_t>(*decoded), values);
    const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(values));
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_EQ(*encoded, stored);

    const auto of_bytes = BindV3(kOptionalCodecs, OptionalOf("uint8", {3}));
    ASSERT_TRUE(Succeeds(of_bytes));
    EXPECT_EQ(*DecodeV3Chunk(*of_bytes, Stored(std::string("\0\1\0", 3), "a")),
              "\xff"
              "a\xff");
}

TEST(V3Optional, MissingFloatsAreNan) {
    constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
    const auto pipeline = BindV3(kOptionalCodecs, OptionalOf("float32", {3}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string stored = Stored(std::string("\0\0\1", 3), std::string("\x3f\x80\0\0", 4));
    const auto decoded = DecodeV3Chunk(*pipeline, stored);
    ASSERT_TRUE(Succeeds(decoded));
    EXPECT_EQ(*decoded, BytesOf(std::vector<float>{kNan, kNan, 1}));
    const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(std::vector<float>{-kNan, kNan, 1}));
    ASSERT_TRUE(Succeeds(encoded));
    EXPECT_EQ(*encoded, stored) << "any NaN is as good";
}

TEST(V3Optional, WithoutElementsThereAreNoData) {
    const auto pipeline = BindV3(kOptionalCodecs, OptionalOf("int32", {2}));
    ASSERT_TRUE(Succeeds(pipeline));
    constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
    const std::string values = BytesOf(std::vector<std::int32_t>{kLeast, kLeast});
    const std::string mask(2, '\0');
    EXPECT_EQ(*EncodeV3Chunk(*pipeline, values), Stored(mask, ""));
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, Stored(mask, "")), values);
    EXPECT_EQ(*DecodeV3Chunk(*pipeline, Stored(mask, "what a codec makes of nothing")), values);
}

TEST(V3Optional, MaskAndDataHaveCodecsOfTheirOwn) {
    const std::string list =
        R"([{"name": "optional", "configuration": {"mask_codecs": [{"name": "packbits",)"
        R"( "configuration": {}}, {"name": "gzip", "configuration": {"level": 5}}],)"
        R"( "data_codecs": [{"name": "transpose", "configuration": {"order": [0]}},)"
        R"( {"name": "bytes", "configuration": {"endian": "little"}}, {"name": "crc32c"}]}},)"
        R"( {"name": "zstd", "configuration": {"level": 1, "checksum": false}}])";
    const auto pipeline = BindV3(list, OptionalOf("uint16", {40, 50}));
    ASSERT_TRUE(Succeeds(pipeline));
    Random random(41);
    for (const std::uint64_t part : {1U, 2U, 50U}) {
        std::vector<std::uint16_t> values;
        for (int i = 0; i < 2000; ++i)
            values.push_back(random.Below(part) != 0 ? 65535 : static_cast<std::uint16_t>(i));
        const auto encoded = EncodeV3Chunk(*pipeline, BytesOf(values));
        ASSERT_TRUE(Succeeds(encoded));
        EXPECT_LE(encoded->size(), pipeline->encoded_size().max);
        const auto decoded = DecodeV3Chunk(*pipeline, *encoded);
        ASSERT_TRUE(Succeeds(decoded));
        EXPECT_EQ(ValuesOf<std::uint16_t>(*decoded), values);
    }
}

TEST(V3Optional, DamagedChunksAreRefused) {
    const auto pipeline = BindV3(kOptionalCodecs, OptionalOf("int16", {3}));
    ASSERT_TRUE(Succeeds(pipeline));
    const std::string mask("\1\0\1", 3);
    const std::string all = Stored(mask, "abcd");
    ASSERT_TRUE(Succeeds(DecodeV3Chunk(*pipeline, all)));
    for (const std::string& bad :
         {std::string(), all.substr(0, 15), all.substr(0, 16), all.substr(0, all.size() - 1),
          all + "x", Stored(mask, "ab"), Stored(mask, "abcdef"), Stored("\1\1", "abcd"),
          Length(UINT64_MAX) + Length(8) + mask + "abcd",
          Length(3) + Length(UINT64_MAX) + mask + "abcd"})
        EXPECT_TRUE(Fails(DecodeV3Chunk(*pipeline, bad), StatusCode::kCorrupt)) << bad.size();
    Random random(42);
    for (int i = 0; i < 300; ++i)
        static_cast<void>(DecodeV3Chunk(*pipeline, random.Bytes(random.Below(40))).ok());
}

TEST(V3Optional, BadConfigurationsAreRefused) {
    const auto bind = [](const std::string& configuration) {
        return BindV3(R"([{"name": "zarrs.optional", "configuration": )" + configuration + "}]",
                      OptionalOf("int16", {3}));
    };
    EXPECT_TRUE(Fails(bind("{}"), StatusCode::kCorrupt, "\"mask_codecs\""));
    EXPECT_TRUE(
        Fails(bind(R"({"mask_codecs": ["bytes"]})"), StatusCode::kCorrupt, "\"data_codecs\""));
    EXPECT_TRUE(Fails(bind(R"({"mask_codecs": [], "data_codecs": []})"), StatusCode::kCorrupt,
                      "mask_codecs: an array-to-bytes codec such as"));
    EXPECT_TRUE(Fails(bind(R"({"mask_codecs": ["bytes"], "data_codecs": ["crc32c", "packbits"]})"),
                      StatusCode::kCorrupt, "data_codecs[0]: codec \"crc32c\" must be after"));
    EXPECT_TRUE(Fails(bind(R"({"mask_codecs": ["bytes"], "data_codecs": ["bytes"], "x": 1})"),
                      StatusCode::kCorrupt, "\"x\""));
    EXPECT_TRUE(Fails(BindV3(kOptionalCodecs, ContextOf("<i2", {3})), StatusCode::kCorrupt,
                      "needs the data type zarrs.optional"));
}

std::string OptionalArray(const std::string& type, const std::string& fill,
                          const std::string& codecs, const std::string& attributes = "{}") {
    return R"({"zarr_format": 3, "node_type": "array", "shape": [3], "data_type": )" + type +
           R"(, "fill_value": )" + fill + R"(, "chunk_key_encoding": {"name": "default"},)" +
           R"( "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},)" +
           R"( "attributes": )" + attributes + R"(, "codecs": )" + codecs + "}";
}

std::string Elements(const std::string& name, const std::string& configuration = "{}") {
    return R"({"name": "zarrs.optional", "configuration": {"name": ")" + name +
           R"(", "configuration": )" + configuration + "}}";
}

TEST(V3Optional, FillValuesAreNullOrOfTheElements) {
    const auto missing = ParseV3Array(OptionalArray(Elements("int16"), "null", kOptionalCodecs));
    ASSERT_TRUE(Succeeds(missing));
    EXPECT_EQ(missing->fill_value.Bytes(), BytesOf(std::vector<std::int16_t>{-32768}));
    EXPECT_EQ(missing->dtype.missing, missing->fill_value.Bytes());
    const auto seven = ParseV3Array(OptionalArray(Elements("int16"), "[7]", kOptionalCodecs));
    ASSERT_TRUE(Succeeds(seven));
    EXPECT_EQ(seven->fill_value.Bytes(), BytesOf(std::vector<std::int16_t>{7}));
    for (const char* fill : {"7", "[]", "[7, 8]", "[null]", "\"7\"", "[\"x\"]"})
        EXPECT_TRUE(Fails(ParseV3Array(OptionalArray(Elements("int16"), fill, kOptionalCodecs)),
                          StatusCode::kCorrupt, "fill_value"))
            << fill;
    for (const ArrayMetadata& metadata : {*missing, *seven}) {
        const auto json = V3FillValueToJson(metadata.dtype, metadata.fill_value.Bytes());
        ASSERT_TRUE(Succeeds(json));
        EXPECT_EQ(json::Dump(*json), FillValueText(metadata));
        const auto type = V3DataTypeToJson(metadata.dtype);
        ASSERT_TRUE(Succeeds(type));
        EXPECT_EQ(json::Dump(*type), json::Dump(Json(Elements("int16"))));
    }
}

TEST(V3Optional, AnAttributeNamesTheValueOfMissingElements) {
    const auto with = [](const std::string& attributes) {
        auto metadata =
            ParseV3Array(OptionalArray(Elements("int16"), "null", kOptionalCodecs, attributes));
        EXPECT_TRUE(Succeeds(metadata));
        return metadata.Take();
    };
    const ArrayMetadata named = with(R"({"_FillValue": -9999})");
    EXPECT_EQ(named.fill_value.Bytes(), BytesOf(std::vector<std::int16_t>{-9999}));
    EXPECT_EQ(with(R"({"missing_value": 3})").fill_value.Bytes(),
              BytesOf(std::vector<std::int16_t>{3}));
    EXPECT_EQ(with(R"({"_FillValue": "x"})").fill_value.Bytes(),
              BytesOf(std::vector<std::int16_t>{-32768}));
    EXPECT_FALSE(SameMetadata(named, with("{}")));
    const auto resized = WithShape(named, {9});
    ASSERT_TRUE(Succeeds(resized));
    EXPECT_EQ(resized->fill_value.Bytes(), named.fill_value.Bytes());
    const auto smaller = WithGrid(named, {2}, {1}, '/');
    ASSERT_TRUE(Succeeds(smaller));
    EXPECT_EQ(smaller->dtype.missing, named.dtype.missing);
}

TEST(V3Optional, OtherTypesAndCodecsAreRefused) {
    const auto parse = [](const std::string& type, const std::string& codecs = kOptionalCodecs) {
        return ParseV3Array(OptionalArray(type, "null", codecs));
    };
    EXPECT_TRUE(
        Succeeds(parse(Elements("numpy.datetime64", R"({"unit": "s", "scale_factor": 1})"))));
    for (const char* type : {"bfloat16", "int4", "uint2", "float8_e4m3", "complex64", "uint64"})
        EXPECT_TRUE(Succeeds(parse(Elements(type)))) << type;
    for (const char* type : {"bool", "string", "r16", "float4_e2m1fn"})
        EXPECT_TRUE(Fails(parse(Elements(type)), StatusCode::kUnsupported, "zarrs.optional of"))
            << type;
    EXPECT_TRUE(Fails(parse(Elements("zarrs.optional", R"({"name": "int8"})")),
                      StatusCode::kUnsupported, "inside another data type"));
    EXPECT_TRUE(Fails(parse(R"("zarrs.optional")"), StatusCode::kCorrupt, "configuration"));
    const std::string bytes = R"([{"name": "bytes", "configuration": {"endian": "little"}}])";
    EXPECT_TRUE(Fails(parse(Elements("int16"), bytes), StatusCode::kCorrupt,
                      "codecs[0]: codec \"bytes\" does not support data type zarrs.optional"));
}

}  // namespace
}  // namespace zarr::test
