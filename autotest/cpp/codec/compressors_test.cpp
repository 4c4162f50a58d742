// SPDX-License-Identifier: MIT
// Tests that only some compressors need: wrong headers, bytes after a stream, and configurations
// that change the decoding.
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/codec/vectors.h"
#include "core/codec/registry.h"

namespace zarr::test {

namespace {

using namespace std::string_literals;

const std::string& Encoded(std::string_view name) {
    for (const Vector& vector : Vectors())
        if (vector.name == name) return vector.encoded;
    static const std::string none;
    ADD_FAILURE() << "no vector " << name;
    return none;
}

struct Outcome {
    Status status;
    std::string decoded;
};

// Decodes `encoded` with the codec of the JSON `config`, to at most `limit` bytes.
Outcome Decode(std::string_view config, const std::string& encoded, std::size_t limit = 1 << 20) {
    const Result<json::Value> parsed = json::Parse(config);
    EXPECT_TRUE(parsed.ok()) << config;
    const Result<std::unique_ptr<Codec>> codec = MakeFromJson(*parsed, CodecContext());
    if (!codec.ok()) return {codec.status(), ""};
    Buffer buffer;
    Output output(buffer, limit);
    const Status status = (*codec)->Decode(ByteSpan(encoded), output);
    EXPECT_TRUE(output.Finish().ok());
    return {status, std::string(ByteSpan(buffer.span()).text())};
}

void ExpectError(const Outcome& outcome, StatusCode code, const std::string& part) {
    EXPECT_EQ(outcome.status.code(), code) << outcome.status.message();
    EXPECT_NE(outcome.status.message().find(part), std::string::npos) << outcome.status.message();
}

constexpr const char* kBlosc = R"({"id": "blosc"})";
constexpr const char* kGzip = R"({"id": "gzip"})";
constexpr const char* kZlib = R"({"id": "zlib"})";
constexpr const char* kBz2 = R"({"id": "bz2"})";
constexpr const char* kLzma = R"({"id": "lzma"})";
constexpr const char* kZstd = R"({"id": "zstd"})";
constexpr const char* kLz4 = R"({"id": "lz4"})";

TEST(Compressors, RefuseEmptyInput) {
    for (const char* config : {kBlosc, kGzip, kZlib, kBz2, kLzma, kZstd, kLz4})
        EXPECT_EQ(Decode(config, "").status.code(), StatusCode::kCorrupt) << config;
}

TEST(Compressors, DecodeEmptyStreams) {
    const std::string bzip2 = "BZh9\x17\x72\x45\x38\x50\x90\0\0\0\0"s;
    const std::string gzip = "\x1f\x8b\x08\0\0\0\0\0\0\x03\x03\0\0\0\0\0\0\0\0\0"s;
    const std::string zstd = "\x28\xb5\x2f\xfd\x20\x00\x01\x00\x00"s;
    const std::string blosc = "\x02\x01\x03\x01\0\0\0\0\x01\0\0\0\x10\0\0\0"s;
    const std::pair<const char*, std::string> streams[] = {{kZlib, "\x78\x9c\x03\0\0\0\0\x01"s},
                                                           {kGzip, gzip},
                                                           {kBz2, bzip2},
                                                           {kZstd, zstd},
                                                           {kLz4, "\0\0\0\0\0"s},
                                                           {kBlosc, blosc}};
    for (const auto& [config, encoded] : streams) {
        const Outcome outcome = Decode(config, encoded, 0);
        EXPECT_TRUE(outcome.status.ok()) << config << ": " << outcome.status.message();
        EXPECT_EQ(outcome.decoded, "");
    }
}

TEST(Blosc, RefusesWrongHeaders) {
    constexpr std::size_t kDecodedSize = 4;
    constexpr std::size_t kFrameSize = 12;
    const std::string& good = Encoded("blosc_lz4_shuffle1");
    ASSERT_TRUE(Decode(kBlosc, good).status.ok());
    std::string longer = good;
    longer[kFrameSize] = static_cast<char>(longer[kFrameSize] + 1);
    ExpectError(Decode(kBlosc, longer), StatusCode::kCorrupt, "truncated");
    std::string larger = good;
    larger[kDecodedSize + 3] = 0x7f;
    ExpectError(Decode(kBlosc, larger), StatusCode::kCorrupt, "decodes to more");
    std::string large = good;
    large[kDecodedSize + 2] = 0x7f;  // the header states 8 MB, which exceeds the limit
    ExpectError(Decode(kBlosc, large), StatusCode::kCorrupt, "decodes to more");
    std::string version = good;
    version[0] = 9;
    ExpectError(Decode(kBlosc, version), StatusCode::kCorrupt, "damaged");
}

TEST(Blosc, ErrorsNameAMissingCompressor) {
    std::string frame = Encoded("blosc_lz4_shuffle1");
    frame[2] = static_cast<char>((frame[2] & 0x1f) | (6 << 5));
    ExpectError(Decode(kBlosc, frame), StatusCode::kUnsupported, "format 6");
}

TEST(Gzip, RefusesJunkAfterPadding) {
    const std::string& good = Encoded("gzip_9");
    EXPECT_TRUE(Decode(kGzip, good + std::string(600, '\0')).status.ok());
    ExpectError(Decode(kGzip, good + "\0\0junk that is longer"s), StatusCode::kCorrupt,
                "incorrect header");
    EXPECT_FALSE(Decode(kGzip, std::string(20, '\0') + good).status.ok());
}

TEST(Bz2, RefusesATruncatedSecondStream) {
    const std::string& good = Encoded("bz2_9");
    EXPECT_TRUE(Decode(kBz2, good + "junk").status.ok());
    ExpectError(Decode(kBz2, good + "BZ"), StatusCode::kCorrupt, "truncated");
    ExpectError(Decode(kBz2, good + good.substr(0, 40)), StatusCode::kCorrupt, "truncated");
    EXPECT_EQ(Decode(kBz2, good + good).decoded.size(), 1600U);
}

TEST(Lzma, RefusesATruncatedSecondStream) {
    const std::string& good = Encoded("lzma_xz_check1");
    // Four bytes after a stream may be the start of another stream, so they are rejected, as in
    // Python. More bytes are ignored.
    ExpectError(Decode(kLzma, good + "junk"), StatusCode::kCorrupt, "truncated");
    EXPECT_TRUE(Decode(kLzma, good + "junk that is longer").status.ok());
    ExpectError(Decode(kLzma, good + good.substr(0, 40)), StatusCode::kCorrupt, "truncated");
    EXPECT_EQ(Decode(kLzma, good + good).decoded.size(), 1600U);
}

TEST(Lzma, NamesWhatIsWrongWithItsConfiguration) {
    const std::pair<const char*, const char*> cases[] = {
        {R"({"id": "lzma", "format": "xz"})", "format: expected"},
        {R"({"id": "lzma", "format": 4})", "format: expected"},
        {R"({"id": "lzma", "format": 3})", "\"filters\" is missing"},
        {R"({"id": "lzma", "format": 3, "filters": null})", "filters: expected"},
        {R"({"id": "lzma", "format": 3, "filters": []})", "filters: expected"},
        {R"({"id": "lzma", "format": 3, "filters": [1]})", "filters[0]"},
        {R"({"id": "lzma", "format": 3, "filters": [{}]})", "filters[0]"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 2}]})", "filters[0]: id"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": "x"}]})", "filters[0]: id"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 33, "preset": 10}]})",
         "filters[0]: preset"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 33, "dict_size": "1"}]})",
         "filters[0]: dict_size"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 3, "dist": 0}, {"id": 33}]})",
         "filters[0]: dist"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 4611686018427387905, "lc": 9}]})",
         "not a valid chain"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 3}]})", "not a valid chain"},
        {R"({"id": "lzma", "format": 3, "filters": [{"id": 33}, {"id": 3}]})", "not a valid chain"},
        {R"({"id": "lzma", "format": 3,
             "filters": [{"id": 3}, {"id": 3}, {"id": 3}, {"id": 3}, {"id": 33}]})",
         "filters: expected"},
    };
    for (const auto& [config, part] : cases)
        ExpectError(Decode(config, "x"), StatusCode::kCorrupt, part);
}

// Members of the configuration that only the encoder uses may have any value.
TEST(Lzma, IgnoresWhatOnlyEncodingNeeds) {
    EXPECT_TRUE(Decode(R"({"id": "lzma", "format": 3, "check": "?", "preset": "?",
                           "filters": [{"id": 33, "preset": 1, "mf": "?", "mode": -1}]})",
                       Encoded("lzma_raw_lzma2"))
                    .status.ok());
}

TEST(Lz4, RefusesWrongHeaders) {
    const std::string& good = Encoded("lz4_1");
    std::string negative = good;
    negative[3] = '\xff';
    ExpectError(Decode(kLz4, negative), StatusCode::kCorrupt, "the header states");
    std::string longer = good;
    longer[0] = static_cast<char>(longer[0] + 1);
    ExpectError(Decode(kLz4, longer), StatusCode::kCorrupt, "but the header states");
    std::string shorter = good;
    shorter[0] = static_cast<char>(shorter[0] - 1);
    EXPECT_EQ(Decode(kLz4, shorter).status.code(), StatusCode::kCorrupt);
}

}  // namespace

}  // namespace zarr::test
