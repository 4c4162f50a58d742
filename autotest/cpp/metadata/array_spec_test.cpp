// SPDX-License-Identifier: MIT
#include "autotest/cpp/support/checks.h"
#include "core/base/endian.h"
#include "core/metadata/v2_metadata.h"

namespace zarr {
namespace {

using test::Fails;
using test::Json;
using test::Succeeds;

ArraySpec Spec(std::string_view dtype = "<i4") {
    ArraySpec spec;
    spec.shape = {4, 0, 5};
    spec.chunks = {2, 1, 3};
    auto type = dtype[0] == '[' ? ParseDataType(Json(dtype)) : ParseTypestr(dtype);
    EXPECT_TRUE(Succeeds(type));
    if (type.ok()) spec.dtype = type.Take();
    return spec;
}

std::vector<CodecSpec> Codecs(const char* filters, const char* compressor) {
    auto codecs = ParseNumcodecs(Json(filters), Json(compressor));
    EXPECT_TRUE(Succeeds(codecs));
    return codecs.ok() ? codecs.Take() : std::vector<CodecSpec>();
}

void ExpectRefused(const ArraySpec& spec, std::string_view message) {
    EXPECT_TRUE(Fails(MakeArrayMetadata(spec), StatusCode::kInvalidArgument, message));
}

TEST(ArraySpec, IsWrittenAsZarrPythonDoes) {
    ArraySpec spec = Spec("<f4");
    spec.shape = spec.chunks = {4, 5};
    spec.fill_value = std::string(4, '\0');
    spec.dimension_separator = '/';
    spec.codecs = Codecs("null", R"({"id": "zlib", "level": 1})");
    const auto document = MakeArrayMetadata(spec);
    ASSERT_TRUE(Succeeds(document));
    EXPECT_EQ(ArrayText(*document), R"({
    "chunks": [
        4,
        5
    ],
    "compressor": {
        "id": "zlib",
        "level": 1
    },
    "dimension_separator": "/",
    "dtype": "<f4",
    "fill_value": 0.0,
    "filters": null,
    "order": "C",
    "shape": [
        4,
        5
    ],
    "zarr_format": 2
})");
}

void ExpectSame(const ArrayMetadata& back, const ArraySpec& spec) {
    EXPECT_EQ(back.shape, spec.shape);
    EXPECT_EQ(back.chunks, spec.chunks);
    EXPECT_EQ(back.axis_order.is_column_major(), spec.fortran_order);
    EXPECT_EQ(back.dimension_separator, spec.dimension_separator);
}

void ExpectReadsBack(const ArraySpec& spec) {
    const auto document = MakeArrayMetadata(spec);
    ASSERT_TRUE(Succeeds(document));
    const auto back = ParseArrayMetadata(ArrayText(*document));
    ASSERT_TRUE(Succeeds(back));
    ExpectSame(*back, spec);
    EXPECT_EQ(back->dtype.ToString(), spec.dtype.ToString());
    EXPECT_EQ(back->has_fill_value, spec.fill_value.has_value());
    EXPECT_EQ(back->fill_value.Bytes(),
              spec.fill_value.value_or(std::string(spec.dtype.size, '\0')));
    ASSERT_EQ(back->codecs.size(), spec.codecs.size());
    for (std::size_t i = 0; i < spec.codecs.size(); ++i) {
        EXPECT_EQ(json::Dump(NumcodecsToJson(back->codecs[i])),
                  json::Dump(NumcodecsToJson(spec.codecs[i])));
        EXPECT_EQ(back->codecs[i].place, spec.codecs[i].place);
    }
}

TEST(ArraySpec, ReadsBackAsItWas) {
    for (const char* dtype : {"|b1", "<i8", ">f8", "<c16", ">M8[25s]", "|S3", ">U2", "|V7",
                              R"([["a", ">i2"], ["b", "<f4", [2, 3]]])"}) {
        SCOPED_TRACE(dtype);
        ArraySpec spec = Spec(dtype);
        const char* const filters = R"([{"id": "shuffle"}, {"id": "x", "more": [1]}])";
        spec.codecs = Codecs(filters, "null");
        ExpectReadsBack(spec);
        spec.fortran_order = true;
        spec.dimension_separator = '/';
        spec.codecs = Codecs(filters, R"({"id": "zlib", "level": 1})");
        spec.fill_value = std::string(spec.dtype.size, '\1');
        if (spec.dtype.kind == DataKind::kUnicode) {
            StoreNative(spec.fill_value->data(), std::uint32_t{'a'});
            StoreNative(spec.fill_value->data() + 4, std::uint32_t{0x20ac});
        }
        ExpectReadsBack(spec);
    }
}

TEST(ArraySpec, HasAScalarsShapeToo) {
    ArraySpec spec = Spec();
    spec.shape = spec.chunks = {};
    EXPECT_TRUE(Succeeds(MakeArrayMetadata(spec)));
}

TEST(ArraySpec, ErrorsNameTheMember) {
    ArraySpec spec = Spec();
    spec.chunks = {2, 0, 3};
    ExpectRefused(spec, "chunks[1]: expected an integer >= 1, got 0");
    spec.chunks = {2};
    ExpectRefused(spec, "chunks: has 1 sizes for the 3 dimensions");
    spec = Spec();
    spec.shape = {std::uint64_t{1} << 62, 8, 1};
    ExpectRefused(spec, "shape: the product");
    spec = Spec();
    spec.chunks = {std::uint64_t{1} << 62, 8, 1};
    ExpectRefused(spec, "chunks: the product");
    spec = Spec();
    spec.dimension_separator = '-';
    ExpectRefused(spec, "dimension_separator: expected");
    spec = Spec();
    spec.fill_value = "x";
    ExpectRefused(spec, "fill_value: has 1 bytes");
    spec = Spec();
    spec.shape.assign(33, 1);
    spec.chunks.assign(33, 1);
    EXPECT_TRUE(Fails(MakeArrayMetadata(spec), StatusCode::kLimit, "shape: has 33 dimensions"));
}

TEST(ArraySpec, ObjectsNeedTheirCodec) {
    ArraySpec spec = Spec("|O");
    ExpectRefused(spec, "filters: dtype |O requires an object codec");
    spec.codecs = Codecs(R"([{"id": "vlen-utf8"}])", "null");
    spec.fill_value = "";
    EXPECT_TRUE(Succeeds(MakeArrayMetadata(spec)));
}

}  // namespace
}  // namespace zarr
