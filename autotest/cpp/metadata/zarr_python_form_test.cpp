// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/checks.h"
#include "core/metadata/dialects.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::Succeeds;

std::string Text(const std::string& dtype, const std::string& filters,
                 const std::string& fill_value) {
    return R"({"zarr_format": 2, "compressor": null, "order": "C", "shape": [4], "chunks": [2], )"
           R"("dtype": ")" +
           dtype + R"(", "filters": )" + filters + R"(, "fill_value": )" + fill_value + "}";
}

ArrayMetadata ParseSpelled(const std::string& text) {
    auto metadata = ParseArrayMetadata(text);
    EXPECT_TRUE(Succeeds(metadata)) << text;
    return metadata.ok() ? metadata.Take() : ArrayMetadata();
}

constexpr const char* kUtf8 = R"([{"id": "vlen-utf8"}])";
constexpr const char* kBytes = R"([{"id": "vlen-bytes"}])";

TEST(ZarrPythonForm, TextWithAnObjectCodecIsAnObjectType) {
    for (const char* dtype : {"<U5", ">U1", "<U0"})
        EXPECT_EQ(ParseSpelled(Text(dtype, kUtf8, "null")).dtype.ToString(), "|O") << dtype;
    for (const char* dtype : {"|S5", "|S0"})
        EXPECT_EQ(ParseSpelled(Text(dtype, kBytes, "null")).dtype.ToString(), "|O") << dtype;
}

TEST(ZarrPythonForm, TheDocumentStaysAsItWasRead) {
    const json::Value document(ParseSpelled(Text("<U5", kUtf8, "\"xy\"")).document);
    EXPECT_EQ(json::Dump(*document.Find("dtype")), "\"<U5\"");
    EXPECT_EQ(json::Dump(*document.Find("fill_value")), "\"xy\"");
}

TEST(ZarrPythonForm, FillValuesAreTexts) {
    EXPECT_EQ(ParseSpelled(Text("<U5", kUtf8, "\"xy\"")).fill_value.Bytes(), "xy");
    EXPECT_EQ(ParseSpelled(Text("<U5", kUtf8, "\"eA==\"")).fill_value.Bytes(), "eA==");
    EXPECT_EQ(ParseSpelled(Text("|S5", kBytes, "\"YWI=\"")).fill_value.Bytes(), "ab");
    EXPECT_EQ(ParseSpelled(Text("|S5", kBytes, "\"\"")).fill_value.Bytes(), "");
    EXPECT_EQ(ParseSpelled(Text("|S5", kBytes, "null")).has_fill_value, false);
}

TEST(ZarrPythonForm, OtherTypesAreUnchanged) {
    for (const char* filters : {"null", "[]", R"([{"id": "zlib", "level": 1}])",
                                R"([{"id": "zlib"}, {"id": "vlen-utf8"}])"})
        EXPECT_EQ(ParseSpelled(Text("<U5", filters, "\"\"")).dtype.ToString(), "<U5") << filters;
    EXPECT_EQ(ParseSpelled(Text("<i4", kUtf8, "0")).dtype.ToString(), "<i4");
    EXPECT_EQ(ParseSpelled(Text("|V4", kBytes, "null")).dtype.ToString(), "|V4");
}

}  // namespace
}  // namespace zarr
