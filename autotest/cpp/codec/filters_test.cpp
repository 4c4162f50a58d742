// SPDX-License-Identifier: MIT
// Tests of filters: invalid input, encoded sizes, and chains of filters. contract_test.cpp tests
// that numcodecs' chunks decode.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "autotest/cpp/codec/from_json.h"
#include "core/codec/factories.h"
#include "core/codec/numpy_numbers.h"
#include "core/codec/pipeline.h"
#include "core/codec/registry.h"

namespace zarr {

namespace {

using test::BindJson;

using test::MakeFromJson;

json::Value Json(std::string_view text) {
    auto value = json::Parse(text);
    EXPECT_TRUE(value.ok()) << text;
    return value.ok() ? value.Take() : json::Value();
}

Result<std::unique_ptr<Codec>> Make(std::string_view config) {
    return MakeFromJson(Json(config), CodecContext());
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
    std::string bytes(values.size() * sizeof(T), '\0');
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
}

template <class T>
std::vector<T> Values(const std::string& bytes) {
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
    return values;
}

// Decodes `encoded` from memory at an unaligned address.
Result<std::string> Decode(std::string_view config, const std::string& encoded) {
    auto codec = Make(config);
    if (!codec.ok()) return codec.status();
    const std::vector<char> shifted = [&] {
        std::vector<char> bytes(1);
        bytes.insert(bytes.end(), encoded.begin(), encoded.end());
        return bytes;
    }();
    Buffer buffer;
    Output output(buffer, std::size_t{1} << 20);
    const auto* data = reinterpret_cast<const std::uint8_t*>(shifted.data()) + 1;
    ZARR_RETURN_IF_ERROR((*codec)->Decode({data, encoded.size()}, output));
    ZARR_RETURN_IF_ERROR(output.Finish());
    return std::string(ByteSpan(buffer.span()).text());
}

void ExpectCorrupt(std::string_view config, const std::string& encoded, std::string_view message) {
    const auto decoded = Decode(config, encoded);
    ASSERT_FALSE(decoded.ok()) << config;
    EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt) << config;
    EXPECT_NE(decoded.status().message().find(message), std::string::npos)
        << decoded.status().message();
}

TEST(Filters, NameTheConfigurationMemberThatIsWrong) {
    ExpectCorrupt(R"({"id":"delta"})", "", R"(delta: the compulsory member "dtype" is missing)");
    ExpectCorrupt(R"({"id":"delta","dtype":7})", "",
                  "delta: dtype: expected a dtype such as \"<i2\", got 7");
    ExpectCorrupt(R"({"id":"delta","dtype":"<q4"})", "", "delta: dtype: dtype \"<q4\"");
    ExpectCorrupt(R"({"id":"delta","dtype":"|S4"})", "", "dtype: expected a dtype of numbers");
    ExpectCorrupt(R"({"id":"delta","dtype":"<i4","astype":"<U1"})", "", "astype: expected");
    ExpectCorrupt(R"({"id":"fixedscaleoffset","dtype":"<f4","offset":1})", "",
                  R"(fixedscaleoffset: the compulsory member "scale" is missing)");
    ExpectCorrupt(R"({"id":"fixedscaleoffset","dtype":"<f4","scale":"1","offset":1})", "",
                  R"(scale: expected a number, got "1")");
    ExpectCorrupt(R"({"id":"quantize","dtype":"<i4"})", "",
                  "quantize: dtype: expected a floating point type, got <i4");
    ExpectCorrupt(R"({"id":"quantize","dtype":"<f4","astype":"<i2"})", "", "astype: expected a fl");
    ExpectCorrupt(R"({"id":"astype","decode_dtype":"<f4"})", "", R"("encode_dtype" is missing)");
    ExpectCorrupt(R"({"id":"categorize","dtype":"<U2"})", "", R"("labels" is missing)");
    ExpectCorrupt(R"({"id":"categorize","dtype":"<U2","labels":["a",5]})", "",
                  "labels[1]: expected a string, got 5");
    ExpectCorrupt(R"({"id":"categorize","dtype":"|V2","labels":[]})", "",
                  "dtype: expected a dtype of text");
    ExpectCorrupt(R"({"id":"categorize","dtype":"|O","labels":[]})", "",
                  "dtype: |O is allowed only");
    ExpectCorrupt(R"({"id":"shuffle","elementsize":-1})", "", "elementsize: expected an integer");
    ExpectCorrupt(R"({"id":"crc32","location":"middle"})", "", "location: expected \"start\" or");
    ExpectCorrupt(R"({"id":"adler32","location":4})", "", "location: expected \"start\" or");
}

TEST(Filters, ReportUnsupportedConfigurations) {
    for (const char* config : {R"({"id":"delta","dtype":"<M8[s]"})",
                               R"({"id":"fixedscaleoffset","dtype":"<m8[s]","scale":1,"offset":0})",
                               R"({"id":"astype","encode_dtype":"<M8[s]","decode_dtype":"<M8[D]"})",
                               R"({"id":"astype","encode_dtype":"<m8[s]","decode_dtype":"<f8"})",
                               R"({"id":"categorize","dtype":"<U2","labels":[],"astype":"<f4"})",
                               R"({"id":"imagecodecs_tiff","asrgb":true})"})
        EXPECT_EQ(Make(config).status().code(), StatusCode::kUnsupported) << config;
}

TEST(Filters, RefusePartialItems) {
    const std::string seven(7, '\1');
    ExpectCorrupt(R"({"id":"delta","dtype":"<i4"})", seven,
                  "size 7 is not a multiple of the item size");
    ExpectCorrupt(R"({"id":"fixedscaleoffset","dtype":"<f4","astype":"<i2","scale":1,"offset":0})",
                  seven, "size 7 is not a multiple of the item size");
    ExpectCorrupt(R"({"id":"quantize","dtype":"<f8","astype":"<f2"})", seven,
                  "size 7 is not a multiple of the item size");
    ExpectCorrupt(R"({"id":"astype","encode_dtype":"<i2","decode_dtype":"|i1"})", seven,
                  "size 7 is not a multiple of the item size");
    ExpectCorrupt(R"({"id":"categorize","dtype":"<U2","labels":["a"],"astype":"<u2"})", seven,
                  "size 7 is not a multiple of the item size");
    ExpectCorrupt(R"({"id":"shuffle"})", seven, "not a multiple of the element size 4");
}

TEST(Filters, KeepEncodedSizesExactAndSaturate) {
    const auto size = [](const char* config, std::size_t decoded) {
        return (*Make(config))->EncodedSize({decoded, true});
    };
    EXPECT_EQ(size(R"({"id":"delta","dtype":"<i4","astype":"|i1"})", 40).max, 10U);
    EXPECT_EQ(size(R"({"id":"astype","encode_dtype":"<f8","decode_dtype":"|u1"})", 5).max, 40U);
    EXPECT_EQ(size(R"({"id":"packbits"})", 0).max, 1U);
    EXPECT_EQ(size(R"({"id":"packbits"})", 9).max, 3U);
    EXPECT_EQ(size(R"({"id":"base64"})", 4).max, 8U);
    EXPECT_EQ(size(R"({"id":"crc32c"})", 4).max, 8U);
    EXPECT_EQ(size(R"({"id":"categorize","dtype":"<U5","labels":[],"astype":"<u2"})", 40).max, 4U);
    EXPECT_TRUE(size(R"({"id":"base64"})", 4).exact);
    EXPECT_FALSE(size(R"({"id":"json2"})", 4).exact);
    const std::size_t huge = std::numeric_limits<std::size_t>::max();
    EXPECT_EQ(size(R"({"id":"astype","encode_dtype":"<f8","decode_dtype":"|u1"})", huge).max, huge);
    EXPECT_EQ(size(R"({"id":"crc32"})", huge).max, huge);
}

TEST(Delta, KeepsTheSignOfALeadingZeroAndSumsAcrossBlocks) {
    const auto zeros = Decode(R"({"id":"delta","dtype":"<f8"})", Bytes<double>({-0.0, -0.0, 0.0}));
    ASSERT_TRUE(zeros.ok());
    EXPECT_TRUE(std::signbit(Values<double>(*zeros)[1]));
    EXPECT_FALSE(std::signbit(Values<double>(*zeros)[2]));

    const auto many = Decode(R"({"id":"delta","dtype":"<i4","astype":"|i1"})",
                             std::string(kNumberBlock * 2 + 5, '\1'));
    ASSERT_TRUE(many.ok());
    const auto sums = Values<std::int32_t>(*many);
    ASSERT_EQ(sums.size(), kNumberBlock * 2 + 5);
    for (std::size_t i = 0; i < sums.size(); ++i)
        ASSERT_EQ(sums[i], static_cast<std::int32_t>(i + 1)) << i;
}

TEST(Delta, PropagatesNotATime) {
    const std::int64_t nat = std::numeric_limits<std::int64_t>::min();
    const auto decoded =
        Decode(R"({"id":"delta","dtype":"<m8[s]"})", Bytes<std::int64_t>({5, 6, nat, 1}));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(Values<std::int64_t>(*decoded), (std::vector<std::int64_t>{5, 11, nat, nat}));
}

// The JSON type of "scale" decides the type of the result, as in numpy 1.24: float32 / 100000 is
// float64, but float32 / 100000.0 is float32.
TEST(FixedScaleOffset, ComputesInTheTypeThatTheScalarAsksFor) {
    const float stored = 16777217.0F / 3;
    const auto by = [&](const char* scale) {
        const auto decoded =
            Decode(std::string(R"({"id":"fixedscaleoffset","dtype":"<f8","astype":"<f4",)") +
                       R"("offset":0,"scale":)" + scale + "}",
                   Bytes<float>({stored}));
        return decoded.ok() ? Values<double>(*decoded)[0] : -1;
    };
    EXPECT_EQ(by("100000"), static_cast<double>(stored) / 100000);
    EXPECT_EQ(by("100000.0"), static_cast<double>(stored / 100000.0F));
    EXPECT_NE(by("100000"), by("100000.0"));
}

TEST(FixedScaleOffset, SurvivesScaleZeroAndValuesOutOfRange) {
    const auto decoded =
        Decode(R"({"id":"fixedscaleoffset","dtype":"<i4","astype":"<i2","offset":0.5,"scale":0})",
               Bytes<std::int16_t>({1, -1, 0}));
    ASSERT_TRUE(decoded.ok());
    const std::int32_t least = std::numeric_limits<std::int32_t>::min();
    EXPECT_EQ(Values<std::int32_t>(*decoded), (std::vector<std::int32_t>{least, least, least}));
}

TEST(AsType, TakesIntegersForTimes) {
    const auto decoded = Decode(R"({"id":"astype","encode_dtype":"<i4","decode_dtype":"<M8[D]"})",
                                Bytes<std::int32_t>({-7, 8}));
    ASSERT_TRUE(decoded.ok());
    EXPECT_EQ(Values<std::int64_t>(*decoded), (std::vector<std::int64_t>{-7, 8}));
}

TEST(PackBits, RefusesImpossiblePadding) {
    const std::string config = R"({"id":"packbits"})";
    ExpectCorrupt(config, "", "number of padding bits is missing");
    ExpectCorrupt(config, "\x08\xff", "got 8");
    ExpectCorrupt(config, "\x03", "3");
    const auto empty = Decode(config, std::string(1, '\0'));
    ASSERT_TRUE(empty.ok());
    EXPECT_TRUE(empty->empty());
}

TEST(Base64Codec, RefusesInvalidBase64) {
    ExpectCorrupt(R"({"id":"base64"})", "AAA", "");
    ExpectCorrupt(R"({"id":"base64"})", "AA\nAA===", "");
}

TEST(Checksums, HaveTheirPublishedCheckValues) {
    EXPECT_EQ(Crc32cOf(ByteSpan("123456789")), 0xe3069283U);
    EXPECT_EQ(Crc32cOf(ByteSpan(std::string_view())), 0U);
    // RFC 3720, B.4 lists these checksums of 32 zero bytes and of 32 bytes 0xff.
    EXPECT_EQ(Crc32cOf(ByteSpan(std::string(32, '\0'))), 0x8a9136aaU);
    EXPECT_EQ(Crc32cOf(ByteSpan(std::string(32, '\xff'))), 0x62a8ab43U);
    // Fletcher-32 checksums that libhdf5 stores.
    EXPECT_EQ(Fletcher32Of(ByteSpan("abcde")), 0x4ff029c7U);
    EXPECT_EQ(Fletcher32Of(ByteSpan("abcdef")), 0x50562a2dU);
    EXPECT_EQ(Fletcher32Of(ByteSpan(std::string(2000, '\xff'))), 0xffffffffU);
    EXPECT_EQ(Fletcher32Of(ByteSpan(std::string(1441, '\xff'))), 0xff00ff00U);
    EXPECT_EQ(Fletcher32Of(ByteSpan(std::string_view())), 0U);
    // Checksums that numcodecs 0.17 computes.
    std::string bytes;
    EXPECT_EQ(JenkinsLookup3Of(ByteSpan(bytes), 0), 0xdeadbeefU);
    for (char byte = 0; byte < 11; ++byte) bytes.push_back(byte);
    EXPECT_EQ(JenkinsLookup3Of(ByteSpan(bytes), 0), 0x2ca6817aU);
    bytes.push_back(11);
    EXPECT_EQ(JenkinsLookup3Of(ByteSpan(bytes), 0), 0x5e4aa593U);
    for (char byte = 12; byte < 25; ++byte) bytes.push_back(byte);
    EXPECT_EQ(JenkinsLookup3Of(ByteSpan(bytes), 0), 0x3a882244U);
    bytes.resize(20);
    const std::string stored = bytes + "\xb8\xb7\x6c\x71";
    const std::string config =
        R"({"id":"jenkins_lookup3","initval":1532161,"prefix":[97,98,99,255]})";
    EXPECT_EQ(*Decode(config, stored), bytes);
    ExpectCorrupt(R"({"id":"jenkins_lookup3"})", stored, "does not match the stored 0x716cb7b8");
    EXPECT_FALSE(Decode(R"({"id":"jenkins_lookup3","initval":4294967296})", stored).ok());
    EXPECT_FALSE(Decode(R"({"id":"jenkins_lookup3","prefix":[256]})", stored).ok());
}

TEST(Checksums, ErrorsShowBothValues) {
    for (const char* id : {"crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"}) {
        const std::string config = std::string(R"({"id":")") + id + R"("})";
        ExpectCorrupt(config, "abc", "too few for a checksum");
        ExpectCorrupt(config, "abcdefgh", " does not match the stored 0x");
    }
    ExpectCorrupt(R"({"id":"crc32c"})", std::string("123456789") + std::string(4, '\0'),
                  "checksum 0xe3069283 does not match the stored 0x00000000");
}

TEST(Json2, RefusesInvalidChunks) {
    const std::string config = R"({"id":"json2"})";
    ExpectCorrupt(config, "{}", "a list that ends with");
    ExpectCorrupt(config, "[1]", "a list that ends with");
    ExpectCorrupt(config, "[1,2,[1]]", "a dtype as the item before the last");
    ExpectCorrupt(config, R"([1,"<i4",7])", "shape: expected an array");
    ExpectCorrupt(config, R"([1,"<i4",[2]])", "expected 2 items, got 1");
    ExpectCorrupt(config, R"([1,"<i4",[1000000000000]])", "more items than the encoded chunk");
    ExpectCorrupt(config, R"([1,"<i4",[4294967296,4294967296]])",
                  "more items than the encoded chunk");
    ExpectCorrupt(config, R"([[1],"<i4",[1,1]])", "expected shape [], got [1,1]");
    ExpectCorrupt(config, R"([300,"|i1",[1]])", "item 0: expected a value of dtype |i1, got 300");
    EXPECT_FALSE(Decode(config, R"(["x","|S1",[1]])").ok());
    EXPECT_FALSE(Decode(config, R"([1,"<i4",[1])").ok());
}

TEST(MessagePack2, RefusesInvalidChunks) {
    const std::string config = R"({"id":"msgpack2"})";
    ExpectCorrupt(config, "", "not valid MessagePack at byte 1");
    ExpectCorrupt(config, "\x80", "a list that ends with");
    ExpectCorrupt(config, "\x93\x01\xa3<i4", "not valid MessagePack at byte 7");
    ExpectCorrupt(config, "\x93\x01\xa3<i4\x91\x01\x01", "not valid MessagePack at byte 9");
    ExpectCorrupt(config, "\x93\x01\xa3<i4\x91\xcd\xff\xff", "shape [65535] has more items than");
    ExpectCorrupt(config, "\x93\xa1x\xa3<i4\x91\x01", "item 0: expected a value of dtype <i4");
    // MessagePack input: a list of 2^32 - 1 items, and a million nested lists
    ExpectCorrupt(config, "\xdd\xff\xff\xff\xff\x01", "not valid MessagePack");
    EXPECT_EQ(Decode(config, std::string(1000000, '\x91')).status().code(), StatusCode::kLimit);
}

// Decoding runs the filters in reverse order. Most of these filters change the size.
TEST(FilterChains, RunBackwards) {
    CodecContext context;
    context.dtype = MakeNumberType(DataKind::kFloat, 8);
    context.chunk_shape = {2, 2};
    const json::Value filters = Json(
        R"([{"id":"fixedscaleoffset","dtype":"<f8","astype":"<i4","scale":10,"offset":100},
            {"id":"delta","dtype":"<i4","astype":"<i2"},
            {"id":"shuffle","elementsize":2}, {"id":"crc32c","location":"end"}, {"id":"base64"}])");
    auto pipeline = BindJson(filters, context);
    ASSERT_TRUE(pipeline.ok()) << pipeline.status().message();
    // Encoded chunk, built by hand. fixedscaleoffset changes 100.5, 101.0, 74.4, 100.0 to 5, 10,
    // -256, 0, and delta then to 5, 5, -266, 256.
    std::string shuffled("\x05\x05\xf6\x00\x00\x00\xfe\x01", 8);
    const std::uint32_t crc = Crc32cOf(ByteSpan(shuffled));
    for (int i = 0; i < 4; ++i) shuffled += static_cast<char>(crc >> (8 * i));
    const std::string encoded = [&] {
        constexpr std::string_view kDigits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string text;
        for (std::size_t i = 0; i < shuffled.size(); i += 3) {
            unsigned bits = 0;
            for (std::size_t k = 0; k < 3; ++k)
                bits = bits << 8 | static_cast<std::uint8_t>(shuffled[i + k]);
            for (int k = 3; k >= 0; --k) text += kDigits[(bits >> (6 * k)) & 63U];
        }
        return text;
    }();
    std::vector<double> chunk(4);
    PipelineScratch scratch;
    const MutableByteSpan memory{reinterpret_cast<std::uint8_t*>(chunk.data()), 32};
    const Status status = pipeline->Decode(ByteSpan(encoded), memory, scratch);
    ASSERT_TRUE(status.ok()) << status.message();
    EXPECT_EQ(chunk, (std::vector<double>{100.5, 101.0, 74.4, 100.0}));
    const Status cut = pipeline->Decode(ByteSpan(encoded.substr(4)), memory, scratch);
    EXPECT_EQ(cut.code(), StatusCode::kCorrupt);
    EXPECT_EQ(cut.message().rfind("base64: decodes to 9 bytes instead of 12", 0), 0U)
        << cut.message();
}

}  // namespace

}  // namespace zarr
