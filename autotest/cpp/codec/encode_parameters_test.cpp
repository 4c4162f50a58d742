// SPDX-License-Identifier: MIT
// Tests of configurations and values that cannot be encoded. Binding the codec reports a wrong
// configuration; encoding reports a wrong value. Decoding still works.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "autotest/cpp/codec/from_json.h"
#include "core/base/endian.h"
#include "core/codec/pipeline.h"

namespace zarr {

namespace {

using test::BindJson;

Result<Pipeline> Bind(std::string_view filters, std::string_view typestr = "<f4",
                      std::vector<std::uint64_t> shape = {6}, bool fortran_order = false) {
    const auto parsed = json::Parse(filters);
    EXPECT_TRUE(parsed.ok()) << filters;
    CodecContext context;
    auto dtype = ParseTypestr(typestr);
    EXPECT_TRUE(dtype.ok()) << typestr;
    context.dtype = dtype.Take();
    context.chunk_shape = std::move(shape);
    context.axis_order = fortran_order;
    const json::Value list =
        parsed->as_array() != nullptr ? *parsed : json::Value(json::Array{*parsed});
    return BindJson(list, context);
}

struct Unwritable {
    const char* config;
    const char* message;  // start of the expected error message
    const char* typestr = "<f4";
};

TEST(Writable, NamesTheMemberThatIsWrong) {
    const Unwritable cases[] = {
        {R"({"id":"blosc","cname":"lzx"})", "blosc: cname: expected one of the library's blosclz"},
        {R"({"id":"blosc","clevel":10})", "blosc: clevel: expected an integer from 0 to 9, got 10"},
        {R"({"id":"blosc","clevel":-1})", "blosc: clevel: "},
        {R"({"id":"blosc","shuffle":3})", "blosc: shuffle: expected an integer from -1 to 2"},
        {R"({"id":"blosc","blocksize":-1})", "blosc: blocksize: "},
        {R"({"id":"blosc","typesize":0})", "blosc: typesize: "},
        {R"({"id":"zlib","level":10})", "zlib: level: expected an integer from -1 to 9, got 10"},
        {R"({"id":"gzip","level":"9"})", "gzip: level: expected an integer from -1 to 9"},
        {R"({"id":"bz2","level":0})", "bz2: level: expected an integer from 1 to 9, got 0"},
        {R"({"id":"zstd","level":1.5})", "zstd: level: "},
        {R"({"id":"zstd","checksum":1})", "zstd: checksum: expected true or false, got 1"},
        {R"({"id":"lz4","acceleration":4294967296})", "lz4: acceleration: "},
        {R"({"id":"lzma","format":0})", "lzma: format: 0 "},
        {R"({"id":"lzma","check":3})",
         "lzma: check: expected a check that liblzma supports, got 3"},
        {R"({"id":"lzma","check":16})", "lzma: check: "},
        {R"({"id":"lzma","format":2,"check":1})", "lzma: check: expected -1 or 0"},
        {R"({"id":"lzma","preset":10})",
         "lzma: preset: expected a preset that liblzma supports, got 10"},
        {R"({"id":"lzma","preset":1,"filters":[{"id":33}]})", "lzma: preset: not allowed together"},
        {R"({"id":"lzma","format":2,"filters":[{"id":33}]})", "lzma: filters: expected one LZMA1"},
        {R"({"id":"lzma","filters":[{"id":4611686018427387905}]})", "lzma: filters: expected no"},
        {R"({"id":"lzma","filters":[{"id":3}]})", "lzma: filters: not a valid chain"},
        {R"({"id":"lzma","filters":[{"id":33,"mode":3}]})", "lzma: filters[0]: mode: expected"},
        {R"({"id":"lzma","filters":[{"id":33,"mf":7}]})", "lzma: filters[0]: mf: expected"},
        {R"({"id":"lzma","filters":[{"id":33,"nice_len":1}]})", "lzma: filters[0]: nice_len: "},
        {R"({"id":"lzma","filters":[{"id":33,"dict_size":1500000000}]})",
         "lzma: filters: compression needs "},
        {R"({"id":"quantize","dtype":"<f4"})", R"(quantize: the compulsory member "digits")"},
        {R"({"id":"quantize","dtype":"<f4","digits":400})", "quantize: digits: 400"},
        {R"({"id":"bitround"})", R"(bitround: the compulsory member "keepbits")"},
        {R"({"id":"bitround","keepbits":24})", "bitround: keepbits: expected an integer from 0 to"},
        {R"({"id":"bitround","keepbits":2})", "bitround: requires floats", ">f4"},
        {R"({"id":"bitround","keepbits":2})", "bitround: requires floats", "<i4"},
        {R"({"id":"shuffle","elementsize":5})", "shuffle: elementsize: size 24 is not a multiple"},
        {R"({"id":"delta","dtype":"<c16"})", "delta: size 42 is not a multiple", "|V7"},
        {R"({"id":"delta","dtype":"<m8[s]","astype":"<f8"})", "delta: astype: no conversion"},
        {R"({"id":"astype","encode_dtype":"<f8","decode_dtype":"<m8[s]"})",
         "astype: encode_dtype: no conversion"},
        {R"({"id":"fixedscaleoffset","dtype":"<m8[s]","astype":"<i8","scale":1,"offset":0})",
         "fixedscaleoffset: dtype: times cannot be scaled"},
        {R"({"id":"categorize","dtype":"<U1","astype":"|b1","labels":["a","b"]})",
         "categorize: labels: 2 labels exceed the range of astype |b1"},
        {R"({"id":"json2"})", "json2: dtype <c8 is unsupported", "<c8"},
        {R"({"id":"json2"})", "json2: dtype |S3 is unsupported", "|S3"},
        {R"({"id":"json2","indent":1e9})", "json2: indent: expected at most 100 spaces"},
        {R"({"id":"json2","separators":","})", "json2: separators: expected two short strings"},
        {R"({"id":"json2","allow_nan":"no"})", "json2: allow_nan: expected true or false"},
        {R"({"id":"msgpack2"})", "msgpack2: dtype <c8 is unsupported", "<c8"},
        {R"({"id":"msgpack2","use_single_float":1})",
         "msgpack2: use_single_float: expected true or false"},
        {R"({"id":"pcodec","level":13})", "pcodec: level: expected an integer from 0 to 12"},
        {R"({"id":"pcodec","mode_spec":"dict"})", "pcodec: mode_spec: expected"},
        {R"({"id":"pcodec","delta_spec":"try_conv1"})", "pcodec: delta_spec: expected"},
        {R"({"id":"pcodec","delta_spec":"no_op","delta_encoding_order":1})",
         "pcodec: delta_encoding_order: allowed only with delta_spec"},
        {R"({"id":"pcodec","delta_spec":"try_consecutive"})",
         "pcodec: delta_encoding_order: required by delta_spec \"try_consecutive\""},
        {R"({"id":"pcodec","delta_encoding_order":8})", "pcodec: delta_encoding_order: expected"},
        {R"({"id":"pcodec","paging_spec":"exact"})", "pcodec: paging_spec: expected"},
        {R"({"id":"pcodec","equal_pages_up_to":0})", "pcodec: equal_pages_up_to: expected"},
        {R"({"id":"pcodec"})", "pcodec: numcodecs' pcodec does not support dtype |u1", "|u1"},
        {R"({"id":"pcodec"})", "pcodec: numcodecs' pcodec does not support dtype >i4", ">i4"},
        {R"({"id":"imagecodecs_tiff"})", "imagecodecs_tiff: writing TIFF chunks"},
        {R"({"id":"zfpy","rate":"8"})", "zfpy: rate: expected a number"},
        {R"({"id":"zfpy"})", "zfpy: libzfp does not support dtype <i2", "<i2"},
    };
    for (const Unwritable& c : cases) {
        const auto pipeline = Bind(c.config, c.typestr);
        ASSERT_TRUE(pipeline.ok()) << c.config << ": " << pipeline.status().message();
        const std::string& message = pipeline->writable().message();
        EXPECT_EQ(message.rfind("filters[0]: " + std::string(c.message), 0), 0U)
            << c.config << ": " << message;
        PipelineScratch scratch;
        const std::string chunk(pipeline->chunk_bytes(), '\0');
        EXPECT_EQ(pipeline->Encode(ByteSpan(chunk), scratch).status().message(), message);
    }
}

TEST(Writable, ChecksEveryCodecAndItsInput) {
    const auto later = Bind(R"([{"id":"crc32"},{"id":"bz2","level":0}])");
    ASSERT_TRUE(later.ok());
    EXPECT_EQ(later->writable().message().rfind("filters[1]: bz2: level", 0), 0U);
    const auto uneven = Bind(R"([{"id":"crc32"},{"id":"delta","dtype":"<i8"}])", "<f4", {6});
    ASSERT_TRUE(uneven.ok());
    EXPECT_EQ(uneven->writable().message().rfind("filters[1]: delta: size 28 is not a multiple", 0),
              0U);
}

TEST(Writable, RefusesChunksThatTheCompressorCannotTake) {
    const auto pipeline = Bind(R"({"id":"blosc"})", "<f8", {std::uint64_t{1} << 28});
    ASSERT_TRUE(pipeline.ok());
    EXPECT_EQ(pipeline->writable().code(), StatusCode::kLimit);
    EXPECT_TRUE(Bind(R"({"id":"zstd"})", "<f8", {std::uint64_t{1} << 28})->writable().ok());
}

TEST(Encode, ReturnsTheInputWithoutCodecs) {
    const auto pipeline = Bind("[]");
    ASSERT_TRUE(pipeline.ok());
    const std::string chunk(24, 'x');
    PipelineScratch scratch;
    const auto encoded = pipeline->Encode(ByteSpan(chunk), scratch);
    ASSERT_TRUE(encoded.ok());
    EXPECT_EQ(encoded->text().data(), chunk.data());
    EXPECT_EQ(encoded->size, 24U);
}

template <class T>
std::string EncodeValues(std::string_view filters, std::string_view typestr,
                         const std::vector<T>& values, std::vector<std::uint64_t> shape = {},
                         bool fortran_order = false) {
    if (shape.empty()) shape = {values.size()};
    const auto pipeline = Bind(filters, typestr, shape, fortran_order);
    EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
    PipelineScratch scratch;
    const auto encoded = pipeline->Encode(
        {reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)}, scratch);
    return encoded.ok() ? std::string(encoded->text()) : "error: " + encoded.status().message();
}

std::string EncodeStrings(std::string_view filters, const std::vector<std::string>& strings) {
    const auto pipeline = Bind(filters, "|O", {strings.size()});
    EXPECT_TRUE(pipeline.ok()) << pipeline.status().message();
    std::vector<ObjectRef> refs;
    refs.reserve(strings.size());
    for (const std::string& text : strings) refs.push_back({text.data(), text.size()});
    PipelineScratch scratch;
    const auto encoded = pipeline->EncodeObjects(refs.data(), refs.size(), scratch);
    return encoded.ok() ? std::string(encoded->text()) : "error: " + encoded.status().message();
}

TEST(Json2Encode, SpellsNumbersAsPythonDoes) {
    EXPECT_EQ(
        EncodeValues<double>(R"({"id":"json2"})", "<f8",
                             {1e15, 1e16, 1e-4, 1e-5, 0.1, 5e-324, -0.0, 100000.0, 1e22}),
        R"([1000000000000000.0,1e+16,0.0001,1e-05,0.1,5e-324,-0.0,100000.0,1e+22,"<f8",[9]])");
    EXPECT_EQ(EncodeValues<float>(R"({"id":"json2"})", "<f4", {0.1F}),
              R"([0.10000000149011612,"<f4",[1]])");
    EXPECT_EQ(EncodeValues<double>(R"({"id":"json2","allow_nan":false})", "<f8", {0.0 / 0.0}),
              "error: json2: NaN and infinity cannot be stored with \"allow_nan\": false");
}

TEST(Json2Encode, NestsInCOrderUntilAFilterDropsTheShape) {
    const std::vector<std::int16_t> values = {1, 2, 3, 4, 5, 6};
    const char* const plain = R"({"id":"json2"})";
    EXPECT_EQ(EncodeValues(plain, "<i2", values, {2, 3}), R"([[1,2,3],[4,5,6],"<i2",[2,3]])");
    EXPECT_EQ(EncodeValues(plain, "<i2", values, {2, 3}, true), R"([[1,3,5],[2,4,6],"<i2",[2,3]])");
    EXPECT_EQ(EncodeValues(
                  R"([{"id":"astype","encode_dtype":"|i1","decode_dtype":"<i2"},{"id":"json2"}])",
                  "<i2", values, {2, 3}, true),
              R"([[1,3,5],[2,4,6],"|i1",[2,3]])");
    EXPECT_EQ(EncodeValues(R"([{"id":"delta","dtype":"<i2"},{"id":"json2"}])", "<i2", values,
                           {2, 3}, true),
              R"([1,1,1,1,1,1,"<i2",[6]])");
    const auto scalar = Bind(plain, "<i2", {});
    EXPECT_FALSE(scalar->writable().ok());
}

TEST(Json2Encode, IndentsAsPythonDoes) {
    EXPECT_EQ(EncodeValues<std::int16_t>(R"({"id":"json2","indent":2})", "<i2", {1, 2}, {1, 2}),
              "[\n  [\n    1, \n    2\n  ], \n  \"<i2\", \n  [\n    1, \n    2\n  ]\n]");
    EXPECT_EQ(EncodeValues<std::int16_t>(R"({"id":"json2","indent":"-","separators":[";",":"]})",
                                         "<i2", {1}),
              "[\n-1;\n-\"<i2\";\n-[\n--1\n-]\n]");
}

TEST(Json2Encode, EscapesText) {
    const std::string text = "\"\\/\b\f\n\r\t\x01\x7f\xc3\xa9\xf0\x9f\x98\x80";
    EXPECT_EQ(EncodeStrings(R"({"id":"json2"})", {text, ""}),
              R"(["\"\\/\b\f\n\r\t\u0001\u007f\u00e9\ud83d\ude00","","|O",[2]])");
    EXPECT_EQ(EncodeStrings(R"({"id":"json2","ensure_ascii":false})", {text}),
              "[\"\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\x7f\xc3\xa9\xf0\x9f\x98\x80\",\"|O\",[1]]");
    EXPECT_EQ(EncodeStrings(R"({"id":"json2"})", {"\xff"}),
              "error: json2: text is not valid UTF-8: \"\xff\"");
    EXPECT_EQ(EncodeStrings(R"({"id":"json2","ensure_ascii":false,"encoding":"ascii"})", {text}),
              "error: json2: text contains other characters than ASCII, which \"encoding\": "
              "\"ascii\" cannot store");
    EXPECT_EQ(EncodeValues<char32_t>(R"({"id":"json2"})", "<U2", {U'a', 0xd800}, {1}),
              "error: json2: text contains code point 55296, which is not a Unicode character");
}

// The integers and the text need forms of different length in MessagePack. Each must get the
// shortest form that can hold it.
TEST(MessagePack2Encode, TakesTheShortestForm) {
    const std::string config = R"({"id":"msgpack2"})";
    EXPECT_EQ(EncodeValues<std::int16_t>(config, "<i2", {0, 127, 128, -1, -32, -33, -129}),
              std::string("\x99\x00\x7f\xcc\x80\xff\xe0\xd0\xdf\xd1\xff\x7f"
                          "\xa3<i2\x91\x07",
                          18));
    EXPECT_EQ(EncodeStrings(config, {"\xff"}),
              "error: msgpack2: text is not valid UTF-8: \"\xff\"");
    EXPECT_EQ(EncodeValues<char32_t>(config, "<U2", {U'a', 0xd800}, {1}),
              "error: msgpack2: text contains code point 55296, which is not a Unicode character");
    const std::string text(70000, 'x');
    EXPECT_EQ(EncodeStrings(config, {text}),
              std::string("\x93\xdb\x00\x01\x11\x70", 6) + text + "\xa2|O\x91\x01");
}

TEST(VlenEncode, RefusesWhatCannotBeDecoded) {
    EXPECT_EQ(EncodeStrings(R"({"id":"vlen-utf8"})", {"ok", "\xff"}),
              "error: vlen-utf8: item 1 is not valid UTF-8: \"\xff\"");
    EXPECT_EQ(EncodeStrings(R"({"id":"vlen-bytes"})", {"\xff"}),
              std::string("\1\0\0\0\1\0\0\0\xff", 9));
    // The object states an invalid size. Encoding must check the size before it reads the bytes.
    const std::string one(1, 'x');
    const ObjectRef large{one.data(), LimitOf(Limit::kStringSize)};
    const auto pipeline = Bind(R"({"id":"vlen-bytes"})", "|O", {1});
    PipelineScratch scratch;
    EXPECT_EQ(pipeline->EncodeObjects(&large, 1, scratch).status().code(), StatusCode::kLimit);
}

TEST(CategorizeEncode, KnowsItsLabels) {
    const auto u32 = [](std::u32string text) {
        return std::vector<char32_t>(text.begin(), text.end());
    };
    // A label that occurs twice gets its last index. A label longer than the element never matches.
    EXPECT_EQ(EncodeValues(R"({"id":"categorize","dtype":"<U2","labels":["a","b","a","abc",""]})",
                           "<U2", u32(std::u32string(U"a\0b\0ab\0\0c\0", 10)), {5}),
              std::string("\3\2\0\5\0", 5));
    const std::string bytes(
        "a\0\xc3\xa9"
        "b\0ab\0\0c\0",
        12);
    EXPECT_EQ(
        EncodeValues(R"({"id":"categorize","dtype":"|S2","labels":["a","\u00e9","a","abc",""]})",
                     "|S2", std::vector<char>(bytes.begin(), bytes.end()), {6}),
        std::string("\3\2\0\0\5\0", 6));
    EXPECT_EQ(EncodeStrings(R"({"id":"categorize","dtype":"|O","astype":">i2",
                                "labels":["x","\u00e9"]})",
                            {"\xc3\xa9", "", "x"}),
              std::string("\0\2\0\0\0\1", 6));
}

TEST(BloscEncode, TakesTheSizeOfTheItemsThatReachIt) {
    constexpr std::size_t kTypeSize = 3;
    const std::string blosc = R"({"id":"blosc","cname":"lz4"})";
    const std::vector<float> values(64, 1.0F);
    const auto type_size = [&](const std::string& filters) {
        return static_cast<int>(EncodeValues(filters, "<f4", values)[kTypeSize]);
    };
    EXPECT_EQ(type_size("[" + blosc + "]"), 4);
    EXPECT_EQ(type_size(R"([{"id":"delta","dtype":"<f4","astype":"<f8"},)" + blosc + "]"), 8);
    EXPECT_EQ(type_size(R"([{"id":"bitround","keepbits":3},)" + blosc + "]"), 4);
    EXPECT_EQ(type_size(R"([{"id":"shuffle","elementsize":4},)" + blosc + "]"), 1);
    EXPECT_EQ(type_size(R"([{"id":"blosc","typesize":2}])"), 2);
}

}  // namespace

}  // namespace zarr
