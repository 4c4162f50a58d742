// SPDX-License-Identifier: MIT
#include <cstring>

#include "autotest/cpp/support/checks.h"
#include "core/metadata/dialects.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::Succeeds;

// Returns a `.zarray` with the given members. `extension` is the JSON value of `_NCZARR_ARRAY`,
// which is omitted if `extension` is empty.
std::string NczarrText(const std::string& members, const std::string& extension) {
    return R"({"zarr_format": 2, "compressor": null, "filters": null, "order": "C", )" + members +
           (extension.empty() ? "" : ", \"_NCZARR_ARRAY\": " + extension) + "}";
}

ArrayMetadata Parse(const std::string& text) {
    auto metadata = ParseArrayMetadata(text);
    EXPECT_TRUE(Succeeds(metadata)) << text;
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

constexpr const char* kScalar = R"("shape": [1], "chunks": [1], "dtype": "<i4", "fill_value": 0)";

TEST(NczarrForm, AScalarHasNoDimension) {
    const std::string storage = R"({"dimrefs": [], "storage": "scalar"})";
    const ArrayMetadata scalar = Parse(NczarrText(kScalar, storage));
    EXPECT_EQ(scalar.rank(), 0U);
    EXPECT_TRUE(scalar.chunks.empty());
    const json::Value document(scalar.document);
    EXPECT_EQ(json::Dump(*document.Find("shape")), "[1]") << "as it was read";
    EXPECT_EQ(Parse(NczarrText(kScalar, "")).rank(), 1U);
    EXPECT_EQ(Parse(NczarrText(kScalar, R"({"storage": "chunked"})")).rank(), 1U);
    EXPECT_EQ(Parse(NczarrText(kScalar, "7")).rank(), 1U);
    const std::string larger = R"("shape": [2], "chunks": [1], "dtype": "<i4", "fill_value": 0)";
    EXPECT_EQ(Parse(NczarrText(larger, storage)).rank(), 1U);
}

TEST(NczarrForm, ACharacterIsOneByte) {
    for (const char* dtype : {"<U1", ">U1", ">S1", "|S1"}) {
        for (const char* fill : {"", "x", "\\u0000", "eA=="}) {
            const std::string members = std::string(R"("shape": [3], "chunks": [3], "dtype": ")") +
                                        dtype + R"(", "fill_value": ")" + fill + "\"";
            const ArrayMetadata metadata = Parse(NczarrText(members, R"({"storage": "chunked"})"));
            EXPECT_EQ(metadata.dtype.ToString(), "|S1") << members;
            EXPECT_EQ(metadata.has_characters, std::string(dtype) != "|S1") << members;
            const bool is_x = fill[0] == 'x' || fill[0] == 'e';
            EXPECT_EQ(metadata.fill_value.Bytes(), std::string(1, is_x ? 'x' : '\0')) << members;
        }
    }
    const std::string plain = R"("shape": [3], "chunks": [3], "dtype": "<U1", "fill_value": "")";
    EXPECT_EQ(Parse(NczarrText(plain, "")).dtype.ToString(), "<U1");
}

// netCDF-C writes NCZarr metadata as the attribute `_nczarr_array` since version 4.9.3.
TEST(NczarrForm, TheExtensionMayBeAnAttribute) {
    const auto parse = [](const std::string& members, const std::string& extension) {
        int asked = 0;
        const auto attributes = [&] {
            ++asked;
            return *json::Parse(R"({"_nczarr_array": )" + extension + "}");
        };
        auto metadata = ParseArrayMetadata(NczarrText(members, ""), attributes);
        EXPECT_TRUE(Succeeds(metadata)) << members;
        EXPECT_LE(asked, 1);
        return std::pair(metadata.Take(), asked);
    };
    EXPECT_EQ(parse(kScalar, R"({"scalar": 1, "storage": "chunked"})").first.rank(), 0U);
    EXPECT_EQ(parse(kScalar, R"({"storage": "chunked"})").first.rank(), 1U);
    EXPECT_EQ(parse(kScalar, "null").first.rank(), 1U);
    const std::string texts = R"("shape": [3], "chunks": [3], "fill_value": "", "dtype": )";
    EXPECT_TRUE(parse(texts + "\">S1\"", "{}").first.has_characters);
    EXPECT_FALSE(parse(texts + "\">S1\"", "null").first.has_characters);
    EXPECT_FALSE(parse(texts + "\"|S1\"", "{}").first.has_characters);
    EXPECT_EQ(parse(texts + "\"|S2\"", "{}").second, 0) << "nothing to ask for";
    const std::string numbers = R"("shape": [3], "chunks": [3], "dtype": "<f8", "fill_value": )";
    double fill = 0;
    const auto metadata = parse(numbers + "9.96921e+36", "{}").first;
    std::memcpy(&fill, metadata.fill_value.Bytes().data(), sizeof fill);
    EXPECT_EQ(fill, 9.9692099683868690e+36);
    EXPECT_EQ(parse(numbers + "0.0", "{}").second, 0);
}

TEST(NczarrForm, TheFillValueOfDoublesIsExact) {
    const auto fill = [](const char* dtype, const char* value, const char* extension) {
        const std::string members = std::string(R"("shape": [3], "chunks": [3], "dtype": ")") +
                                    dtype + R"(", "fill_value": )" + value;
        const ArrayMetadata metadata = Parse(NczarrText(members, extension));
        double number = 0;
        std::memcpy(&number, metadata.fill_value.Bytes().data(), sizeof number);
        return number;
    };
    EXPECT_EQ(fill("<f8", "9.96921e+36", "{}"), 9.9692099683868690e+36);
    EXPECT_EQ(fill(">f8", "9.96921e+36", "{}"), 9.9692099683868690e+36);
    EXPECT_EQ(fill("<f8", "9.96921e+36", ""), 9.96921e+36) << "of another program";
    EXPECT_EQ(fill("<f8", "9.96922e+36", "{}"), 9.96922e+36);
}

}  // namespace
}  // namespace zarr
