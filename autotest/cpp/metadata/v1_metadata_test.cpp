// SPDX-License-Identifier: MIT
#include "core/metadata/v1_metadata.h"

#include <gtest/gtest.h>

#include "autotest/cpp/support/checks.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr::test {
namespace {

// Returns the example of the Zarr v1 specification with the compression `compression`. Members in
// `more` replace members of the same name.
std::string Meta(const std::string& compression, const std::string& more = "") {
    return R"({"chunks": [10, 10], "compression": )" + compression +
           R"(, "dtype": "<i4", "fill_value": 42, "order": "C", "shape": [20, 20], )" +
           R"("zarr_format": 1)" + (more.empty() ? "" : ", " + more) + "}";
}

std::string CompressorOf(const std::string& text) {
    const auto metadata = ParseV1Metadata(text);
    EXPECT_TRUE(Succeeds(metadata)) << text;
    return metadata.ok() ? CompressorText(*metadata) : "";
}

TEST(V1Metadata, TranslatesTheExampleOfTheSpecification) {
    const auto metadata = ParseV1Metadata(Meta("\"zlib\"", "\"compression_opts\": 1"));
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->shape, (std::vector<std::uint64_t>{20, 20}));
    EXPECT_EQ(metadata->chunks, (std::vector<std::uint64_t>{10, 10}));
    EXPECT_EQ(metadata->dtype.ToString(), "<i4");
    EXPECT_TRUE(metadata->has_fill_value);
    EXPECT_EQ(FiltersText(*metadata), "");
    EXPECT_EQ(CompressorText(*metadata), R"({"id": "zlib", "level": 1})");
}

TEST(V1Metadata, TranslatesEveryCompressor) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"\"none\"", "", ""},
        {"null", "", ""},
        {"\"none\"", R"("compression_opts": {"any": "thing"})", ""},
        {"\"zlib\"", "", R"({"id": "zlib"})"},
        {"\"gzip\"", "", R"({"id": "zlib"})"},
        {"\"gzip\"", R"("compression_opts": 9)", R"({"id": "zlib", "level": 9})"},
        {"\"bz2\"", R"("compression_opts": 9)", R"({"id": "bz2", "level": 9})"},
        {"\"zlib\"", R"("compression_opts": null)", R"({"id": "zlib"})"},
        {"\"blosc\"", "", R"({"id": "blosc"})"},
        {"\"blosc\"", R"("compression_opts": {"cname": "zstd", "clevel": 3, "shuffle": 2})",
         R"({"id": "blosc", "cname": "zstd", "clevel": 3, "shuffle": 2})"},
        {"\"blosc\"", R"("compression_opts": {"cname": null, "shuffle": true, "id": "zlib"})",
         R"({"id": "blosc", "shuffle": 1})"},
        {"\"lzma\"", R"("compression_opts": {"format": 1, "check": -1, "preset": null})",
         R"({"id": "lzma", "format": 1, "check": -1})"},
    };
    for (const auto& [compression, options, expected] : cases)
        EXPECT_EQ(CompressorOf(Meta(compression, options)), expected) << compression << options;
}

TEST(V1Metadata, HasNoneOfTheMembersOfV2) {
    const auto metadata = ParseV1Metadata(
        Meta("\"none\"", R"("dimension_separator": "/", "filters": [{"id": "delta"}], "x": 1)"));
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->format, Format::kV1);
    EXPECT_FALSE(metadata->has_separator);
    EXPECT_EQ(metadata->dimension_separator, '.');
    EXPECT_EQ(FiltersText(*metadata), "");
}

TEST(V1Metadata, TakesTheFillValueOfBytesAsText) {
    const auto metadata = ParseV1Metadata(Meta("null", R"("dtype": "|S5", "fill_value": "a b")"));
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->fill_value.Bytes(), std::string("a b\0\0", 5));
}

TEST(V1Metadata, NamesTheMemberThatIsWrong) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"null", R"("zarr_format": "1")", "zarr_format: expected 1, got \"1\""},
        {"null", R"("zarr_format": 1.5)", "zarr_format: expected 1, got 1.5"},
        {"\"zstd\"", "", "compression: expected \"blosc\","},
        {"\"gzip\"", R"("compression_opts": {})", "compression_opts: expected an integer, got {}"},
        {"[]", "", "compression: expected \"blosc\","},
        {"\"zlib\"", R"("compression_opts": [])", "compression_opts: expected an integer, got []"},
        {"\"bz2\"", R"("compression_opts": "9")", "compression_opts: expected an integer"},
        {"\"lzma\"", R"("compression_opts": 1)", "compression_opts: expected an object, got 1"},
        {"\"lzma\"", R"("compression_opts": {"format": -1})", "compression_opts: lzma: format: "},
        {"\"lzma\"", R"("compression_opts": {"format": 3})", "compression_opts: lzma: "},
        {"\"blosc\"", R"("compression_opts": {"clevel": {}})",
         "compression_opts.clevel: expected an integer, got {}"},
    };
    for (const auto& [compression, more, message] : cases)
        EXPECT_TRUE(Fails(ParseV1Metadata(Meta(compression, more)), StatusCode::kCorrupt, message))
            << compression << more;
    for (const char* text : {"", "[]", "{", "{}", R"({"zarr_format": 1})", ""})
        EXPECT_TRUE(Fails(ParseV1Metadata(text), StatusCode::kCorrupt, "")) << text;
}

enum class Is { kMeta, kDamaged, kOther };

Is WhatIs(std::string_view text) {
    if (IsV1Metadata(text)) return Is::kMeta;
    return LooksLikeV1Metadata(text) ? Is::kDamaged : Is::kOther;
}

TEST(V1Metadata, IsDistinguishedFromOtherFiles) {
    EXPECT_EQ(WhatIs(Meta("null")), Is::kMeta);
    EXPECT_TRUE(LooksLikeV1Metadata(Meta("null")));
    for (const char* text :
         {"", "title: x", "[]", "{}", "\"zarr_format\"", R"(["zarr_format"])", R"({"chunks": 1})"})
        EXPECT_EQ(WhatIs(text), Is::kOther) << text;
    for (const char* text :
         {R"({"zarr_format": 2})", R"({"zarr_format": 1)", R"({"chunks": [1], "compression": "bl)"})
        EXPECT_EQ(WhatIs(text), Is::kDamaged) << text;
}

}  // namespace
}  // namespace zarr::test
