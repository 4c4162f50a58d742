// SPDX-License-Identifier: MIT
#include <algorithm>

#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;

// Returns the text of a valid `.zarray` in which `member` has the JSON value `value`. If `value` is
// empty, the member is left out.
std::string Text(std::string_view member = {}, std::string_view value = {}) {
    const std::pair<std::string_view, std::string_view> members[] = {
        {"zarr_format", "2"},
        {"shape", "[100, 200]"},
        {"chunks", "[10, 30]"},
        {"dtype", "\"<i4\""},
        {"compressor", "{\"id\": \"zlib\", \"level\": 1}"},
        {"fill_value", "-9999"},
        {"order", "\"F\""},
        {"filters", "[{\"id\": \"delta\", \"dtype\": \"<i4\"}]"},
        {"dimension_separator", "\"/\""},
        {"made_by", "\"somebody\""},
    };
    std::string text;
    for (const auto& [name, usual] : members) {
        const std::string_view chosen = name == member ? value : usual;
        if (chosen.empty()) continue;
        text += text.empty() ? "{" : ", ";
        text.append("\"").append(name).append("\": ").append(chosen);
    }
    return text + "}";
}

void ExpectError(std::string_view member, std::string_view value, std::string_view message,
                 StatusCode code = StatusCode::kCorrupt) {
    EXPECT_TRUE(Fails(ParseArrayMetadata(Text(member, value)), code, message)) << value;
}

TEST(ArrayMetadata, ReadsEveryMember) {
    const auto metadata = ParseArrayMetadata(Text());
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->shape, (std::vector<std::uint64_t>{100, 200}));
    EXPECT_EQ(metadata->chunks, (std::vector<std::uint64_t>{10, 30}));
    EXPECT_EQ(metadata->rank(), 2U);
    EXPECT_EQ(metadata->dtype.ToString(), "<i4");
    EXPECT_TRUE(metadata->axis_order.is_column_major());
    EXPECT_EQ(metadata->dimension_separator, '/');
    EXPECT_TRUE(metadata->has_fill_value);
    EXPECT_EQ(LoadNative<std::int32_t>(metadata->fill_value.Bytes().data()), -9999);
    EXPECT_EQ(CompressorText(*metadata), R"({"id": "zlib", "level": 1})");
    ASSERT_EQ(metadata->codecs.size(), 2U);
    EXPECT_EQ(metadata->codecs[0].place, "filters[0]");
    EXPECT_EQ(metadata->codecs[1].place, "compressor");
    EXPECT_EQ(json::Dump(metadata->codecs[1].configuration), R"({"level": 1})");
    EXPECT_EQ(json::Dump(json::Value(metadata->document)), Text()) << "unknown members too";
}

TEST(ArrayMetadata, ReadsNullsAndDefaults) {
    const auto no_fill = ParseArrayMetadata(Text("fill_value", "null"));
    ASSERT_TRUE(Succeeds(no_fill));
    EXPECT_FALSE(no_fill->has_fill_value);
    EXPECT_EQ(no_fill->fill_value.Bytes(), std::string(4, '\0'));
    EXPECT_EQ(CompressorText(*ParseArrayMetadata(Text("compressor", "null"))), "");
    EXPECT_EQ(FiltersText(*ParseArrayMetadata(Text("filters", "null"))), "");
    EXPECT_EQ(FiltersText(*ParseArrayMetadata(Text("filters", "[]"))), "");
    EXPECT_TRUE(Succeeds(ParseArrayMetadata(Text("filters", "[]"))));
    EXPECT_EQ(ParseArrayMetadata(Text("dimension_separator"))->dimension_separator, '.');
    EXPECT_EQ(ParseArrayMetadata(Text("dimension_separator", "null"))->dimension_separator, '.');
    EXPECT_EQ(ParseArrayMetadata(Text("dimension_separator", "\".\""))->dimension_separator, '.');
    EXPECT_TRUE(ParseArrayMetadata(Text("order", "\"C\""))->axis_order.is_row_major());
    EXPECT_TRUE(Succeeds(ParseArrayMetadata(Text("zarr_format", "2.0"))));
}

// netCDF-C 4.8.0 writes the fill value as a list of one number.
TEST(ArrayMetadata, TakesAListOfOneFillValue) {
    const auto metadata = ParseArrayMetadata(Text("fill_value", "[-32767]"));
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_TRUE(metadata->has_fill_value);
    EXPECT_EQ(LoadNative<std::int32_t>(metadata->fill_value.Bytes().data()), -32767);
    ExpectError("fill_value", "[1, 2]", "fill_value: expected a value of dtype <i4, got [1, 2]");
    ExpectError("fill_value", "[]", "fill_value: expected a value of dtype <i4, got []");
}

TEST(ArrayMetadata, RequiresEveryCompulsoryMember) {
    for (const char* member :
         {"zarr_format", "shape", "chunks", "dtype", "compressor", "order", "filters"})
        ExpectError(member, "", "the compulsory member \"" + std::string(member) + "\" is missing");
}

TEST(ArrayMetadata, ReadsAMissingFillValueAsNull) {
    const auto metadata = ParseArrayMetadata(Text("fill_value", ""));
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_TRUE(metadata->is_fill_value_missing);
    EXPECT_FALSE(metadata->has_fill_value);
    EXPECT_EQ(FillValueText(*metadata), "null");
    EXPECT_FALSE(ParseArrayMetadata(Text("fill_value", "null"))->is_fill_value_missing);
    const auto changed = WithShape(*metadata, metadata->shape);
    ASSERT_TRUE(Succeeds(changed));
    EXPECT_FALSE(changed->has_fill_value);
}

TEST(ArrayMetadata, NamesTheMemberAndItsValue) {
    ExpectError("zarr_format", "3", "zarr_format: expected 2, got 3");
    ExpectError("zarr_format", "\"2\"", "zarr_format: expected 2, got \"2\"");
    ExpectError("zarr_format", "null", "zarr_format: expected 2, got null");
    ExpectError("shape", "5", "shape: expected an array of integers, got 5");
    ExpectError("shape", "[1, -2]", "shape[1]: expected an integer >= 0, got -2");
    ExpectError("shape", "[1, \"2\"]", "shape[1]: expected an integer >= 0, got \"2\"");
    ExpectError("shape", "[1.5, 1]", "shape[0]: expected an integer >= 0, got 1.5");
    ExpectError("shape", "[true, 1]", "shape[0]: expected an integer >= 0, got true");
    ExpectError("shape", "null", "shape: expected an array of integers, got null");
    ExpectError("chunks", "[10, 0]", "chunks[1]: expected an integer >= 1, got 0");
    ExpectError("chunks", "[-1, 5]", "chunks[0]: expected an integer >= 0, got -1");
    ExpectError("chunks", "[10]", "chunks: has 1 sizes for the 2 dimensions of shape");
    ExpectError("chunks", "[10, 10, 10]", "chunks: has 3 sizes for the 2 dimensions");
    ExpectError("chunks", "true", "chunks: expected an array of integers, got true");
    ExpectError("dtype", "4", "dtype: expected a string or a list of fields, got 4");
    ExpectError("dtype", "\"<q4\"", "dtype \"<q4\" is not known", StatusCode::kUnsupported);
    ExpectError("order", "\"A\"", "order: expected \"C\" or \"F\", got \"A\"");
    ExpectError("order", "null", "order: expected \"C\" or \"F\", got null");
    ExpectError("dimension_separator", "\"-\"",
                R"(dimension_separator: expected "." or "/", got "-")");
    ExpectError("dimension_separator", "\"\"", "dimension_separator: expected");
    ExpectError("dimension_separator", "\"..\"", "dimension_separator: expected");
    ExpectError("dimension_separator", "1", "dimension_separator: expected");
    ExpectError("fill_value", "0.5", "fill_value: expected a value of dtype <i4, got 0.5");
    ExpectError("fill_value", "2147483648",
                "fill_value: expected a value of dtype <i4, got 2147483648");
    ExpectError("compressor", "\"zlib\"",
                "compressor: expected an object with an \"id\", got \"zlib\"");
    ExpectError("compressor", "{}", "compressor: the compulsory member \"id\" is missing");
    ExpectError("filters", "[5]", "filters[0]: expected an object with an \"id\", got 5");
    ExpectError("filters", R"([{"id": 7}])", "filters[0]: id: expected a string, got 7");
    ExpectError("compressor", "[]", "compressor: expected an object with an \"id\", got []");
    ExpectError("filters", "{}", "filters: expected an array or null, got {}");
    ExpectError("filters", "\"delta\"", "filters: expected an array or null");
}

TEST(ArrayMetadata, TakesEmptyChunksOnlyOfEmptyDimensions) {
    const char* const text = R"({"zarr_format": 2, "shape": [0, 5], "chunks": [0, 5],
        "dtype": "|u1", "compressor": null, "fill_value": 0, "order": "C", "filters": null})";
    const auto metadata = ParseArrayMetadata(text);
    ASSERT_TRUE(Succeeds(metadata));
    EXPECT_EQ(metadata->chunks, (std::vector<std::uint64_t>{1, 5}));
}

std::string Sized(std::string_view shape, std::string_view chunks, std::string_view dtype) {
    std::string text = R"({"zarr_format": 2, "compressor": null, "fill_value": null,
        "order": "C", "filters": null, "shape": )";
    return text.append(shape)
               .append(", \"chunks\": ")
               .append(chunks)
               .append(", \"dtype\": \"")
               .append(dtype) +
           "\"}";
}

TEST(ArrayMetadata, RefusesSizesThatOverflow) {
    EXPECT_TRUE(Succeeds(ParseArrayMetadata(Sized("[9223372036854775807]", "[1]", "|u1"))));
    EXPECT_TRUE(Succeeds(
        ParseArrayMetadata(Sized("[1152921504606846975]", "[1152921504606846975]", "<f8"))));
    const char* const shapes[] = {"[9223372036854775808]", "[4294967296, 4294967296]",
                                  "[18446744073709551615]", "[3037000500, 3037000500]"};
    for (const char* shape : shapes)
        for (const char* dtype : {"|u1", "|S0", "<U0"})
            EXPECT_TRUE(Fails(ParseArrayMetadata(Sized(shape, shape, dtype)), StatusCode::kCorrupt,
                              "shape: the product of the sizes overflows"))
                << shape << " " << dtype;
    EXPECT_TRUE(Fails(ParseArrayMetadata(Sized("[1152921504606846976]", "[1]", "<f8")),
                      StatusCode::kCorrupt, "shape: the product"));
    EXPECT_TRUE(Fails(ParseArrayMetadata(Sized("[5]", "[1152921504606846976]", "<f8")),
                      StatusCode::kCorrupt, "chunks: the product of the sizes overflows"));
    EXPECT_TRUE(Fails(ParseArrayMetadata(Sized("[5, 5]", "[4294967296, 4294967296]", "|S0")),
                      StatusCode::kCorrupt, "chunks: the product of the sizes overflows"));
    EXPECT_TRUE(Fails(ParseArrayMetadata(Sized("[1e30]", "[1]", "|u1")), StatusCode::kCorrupt,
                      "shape[0]: expected an integer >= 0, got 1e+30"));
}

TEST(ArrayMetadata, LimitsDimensions) {
    const auto ones = [](std::size_t n) {
        std::string text = "[";
        for (std::size_t i = 0; i < n; ++i) text += i == 0 ? "1" : ", 1";
        return text + "]";
    };
    EXPECT_EQ(ParseArrayMetadata(Sized("[]", "[]", "<f8"))->rank(), 0U);
    EXPECT_EQ(ParseArrayMetadata(Sized(ones(32), ones(32), "<f8"))->rank(), 32U);
    EXPECT_TRUE(Fails(ParseArrayMetadata(Sized(ones(33), ones(33), "<f8")), StatusCode::kLimit,
                      "shape: has 33 dimensions; ZARR_MAX_DIMENSIONS allows 32"));
}

TEST(ArrayMetadata, RefusesOtherValuesThanObjects) {
    for (const char* text : {"", "[]", "2", "\"x\"", "null", "{"})
        EXPECT_TRUE(Fails(ParseArrayMetadata(text), StatusCode::kCorrupt)) << text;
    for (std::size_t size = 0; size < Text().size(); ++size)
        EXPECT_FALSE(ParseArrayMetadata(Text().substr(0, size)).ok());
}

TEST(GroupMetadata, ChecksTheFormat) {
    EXPECT_TRUE(Succeeds(CheckGroupMetadata(R"({"zarr_format": 2, "more": []})")));
    EXPECT_TRUE(
        Fails(CheckGroupMetadata("{}"), StatusCode::kCorrupt, "\"zarr_format\" is missing"));
    EXPECT_TRUE(Fails(CheckGroupMetadata(R"({"zarr_format": 3})"), StatusCode::kCorrupt, "got 3"));
    EXPECT_TRUE(Fails(CheckGroupMetadata("[]"), StatusCode::kCorrupt, "an object, got []"));
}

TEST(Attributes, AreAnObject) {
    const auto attributes = ParseAttributes(R"({"_FillValue": NaN, "a": [1]})");
    ASSERT_TRUE(Succeeds(attributes));
    EXPECT_TRUE(attributes->Find("_FillValue")->is_number());
    EXPECT_TRUE(Fails(ParseAttributes("[]"), StatusCode::kCorrupt, "expected an object, got []"));
    EXPECT_TRUE(Fails(ParseAttributes("{"), StatusCode::kCorrupt, "not valid JSON"));
}

}  // namespace
}  // namespace zarr
