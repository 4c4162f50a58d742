// SPDX-License-Identifier: MIT
// Tests of object codecs: the memory order of objects, and input that contradicts the sizes that it
// states.
#include <gtest/gtest.h>

#include <cstring>

#include "autotest/cpp/codec/from_json.h"
#include "autotest/cpp/support/checks.h"
#include "core/codec/pipeline.h"
#include "core/codec/registry.h"

namespace zarr {

namespace {

using test::BindJson;

using Strings = std::vector<std::string>;

Result<Strings> Decode(std::string_view config, const std::vector<std::uint64_t>& shape,
                       const std::string& encoded, bool fortran_order = false) {
    CodecContext context;
    context.dtype.kind = DataKind::kObject;
    context.dtype.size = sizeof(ObjectRef);
    context.chunk_shape = shape;
    context.axis_order = fortran_order;
    ZARR_ASSIGN_OR_RETURN(const Pipeline pipeline,
                          BindJson(json::Value(json::Array{test::Json(config)}), context));
    const std::vector<char> exact(encoded.begin(), encoded.end());
    const ByteSpan input{reinterpret_cast<const std::uint8_t*>(exact.data()), exact.size()};
    ObjectChunk chunk;
    PipelineScratch scratch;
    ZARR_RETURN_IF_ERROR(pipeline.DecodeObjects(input, chunk, scratch));
    Strings strings;
    const char* const heap = reinterpret_cast<const char*>(chunk.heap.data());
    for (std::size_t i = 0; i < chunk.count; ++i) {
        ObjectRef ref;
        std::memcpy(&ref, chunk.refs.data() + i * sizeof ref, sizeof ref);
        if (ref.size != 0) {
            EXPECT_GE(ref.data, heap);
            EXPECT_LE(ref.data + ref.size, heap + chunk.heap.size());
        }
        strings.emplace_back(ref.size != 0 ? std::string(ref.data, ref.size) : std::string());
    }
    return strings;
}

void ExpectDecodes(std::string_view config, const std::vector<std::uint64_t>& shape,
                   const std::string& encoded, const Strings& expected,
                   bool fortran_order = false) {
    const auto decoded = Decode(config, shape, encoded, fortran_order);
    ASSERT_TRUE(decoded.ok()) << decoded.status().message();
    EXPECT_EQ(*decoded, expected);
}

void ExpectCorrupt(std::string_view config, const std::vector<std::uint64_t>& shape,
                   const std::string& encoded, std::string_view message) {
    const auto decoded = Decode(config, shape, encoded);
    ASSERT_FALSE(decoded.ok()) << config << " " << encoded;
    EXPECT_EQ(decoded.status().code(), StatusCode::kCorrupt);
    EXPECT_NE(decoded.status().message().find(message), std::string::npos)
        << decoded.status().message();
}

std::string Number(std::uint32_t value) {
    std::string bytes;
    for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i));
    return bytes;
}

std::string Item(const std::string& text) {
    return Number(static_cast<std::uint32_t>(text.size())) + text;
}

const char* const kUtf8 = R"({"id":"vlen-utf8"})";
const char* const kBytes = R"({"id":"vlen-bytes"})";
const char* const kJson2 = R"({"id":"json2"})";

TEST(Vlen, ChecksTheCount) {
    ExpectCorrupt(kUtf8, {2}, "", "too few for a count");
    ExpectCorrupt(kUtf8, {2}, "\2\0\0", "too few for a count");
    ExpectCorrupt(kUtf8, {2}, Number(1) + Item("a"), "holds 1 items instead of 2");
    ExpectCorrupt(kUtf8, {2}, Number(0xffffffffU), "holds 4294967295 items instead of 2");
    // The count claims 2^32 - 1 items, but the input ends early. Decoding must not allocate memory
    // for all of them.
    ExpectCorrupt(kUtf8, {0xffffffffU}, Number(0xffffffffU) + Item("a"), "is truncated within its");
    ExpectDecodes(kUtf8, {0}, Number(0), {});
}

TEST(Vlen, ChecksTheLengths) {
    ExpectCorrupt(kBytes, {1}, Number(1) + Number(2) + "a", "item 0 has 2 bytes, which exceeds");
    ExpectCorrupt(kBytes, {1}, Number(1) + Number(0xffffffffU) + "a", "item 0 has 4294967295");
    // Item 0 claims 7 bytes, so that it would include the length of item 1.
    ExpectCorrupt(kBytes, {2}, Number(2) + Number(7) + "abc" + Item(""), "item 0 has 7 bytes");
    ExpectCorrupt(kBytes, {2}, Number(2) + Item("abcd") + "\0\0\0", "item");
    ExpectCorrupt(kBytes, {1}, Number(1) + Item("a") + "xyz", "3 bytes after the last item");
}

TEST(Vlen, ChecksUtf8ButNotBytes) {
    // The two items together are valid UTF-8. Each item alone is not.
    const std::string split = Number(2) + Item("\xc3") + Item("\xa9");
    ExpectCorrupt(kUtf8, {2}, split, "item 0 is not valid UTF-8: ");
    ExpectDecodes(kBytes, {2}, split, {"\xc3", "\xa9"});
    const std::string nul("a\0b", 3);
    ExpectDecodes(kUtf8, {2}, Number(2) + Item(nul) + Item(""), {nul, ""});
}

TEST(Vlen, DecodesInMemoryOrder) {
    const std::string encoded = Number(4) + Item("a") + Item("b") + Item("c") + Item("d");
    ExpectDecodes(kUtf8, {2, 2}, encoded, {"a", "b", "c", "d"}, true);
}

TEST(Json2Objects, NestInCOrderWhateverTheOrderOfTheArray) {
    const std::string encoded = R"([["a","b","c"],["d","e","f"],"|O",[2,3]])";
    ExpectDecodes(kJson2, {2, 3}, encoded, {"a", "b", "c", "d", "e", "f"});
    ExpectDecodes(kJson2, {2, 3}, encoded, {"a", "d", "b", "e", "c", "f"}, true);
    const std::string deep = R"([[["a","b"]],[["c","d"]],[["e","f"]],"|O",[3,1,2]])";
    ExpectDecodes(kJson2, {3, 1, 2}, deep, {"a", "c", "e", "b", "d", "f"}, true);
    // A flat list holds the items in memory order, not in row-major order.
    ExpectDecodes(kJson2, {2, 2}, R"(["a","b","c","d","|O",[4]])", {"a", "b", "c", "d"}, true);
    ExpectDecodes(kJson2, {}, R"(["a","|O",[]])", {"a"});
}

TEST(Json2Objects, GiveTextForEveryValue) {
    ExpectDecodes(kJson2, {7}, R"(["\u00e9\n",null,5,-0.5,true,{"a":[1,NaN]},["x"],"|O",[7]])",
                  {"\xc3\xa9\n", "", "5", "-0.5", "true",
                   json::Dump(test::Json(R"({"a":[1,NaN]})")), R"(["x"])"});
}

TEST(Json2Objects, RefuseOtherShapes) {
    ExpectCorrupt(kJson2, {2}, "", "");
    ExpectCorrupt(kJson2, {2}, R"(["a","b","|O",[2])", "");
    ExpectCorrupt(kJson2, {2}, R"(["a","|O",[1]])", "holds 1 items instead of 2");
    ExpectCorrupt(kJson2, {2}, R"(["a","b","|O",[1]])", "expected 1 items, got 2");
    ExpectCorrupt(kJson2, {2}, R"([["a"],["b"],"|O",[2,1]])", "expected shape [2], got [2,1]");
    ExpectCorrupt(kJson2, {2, 1}, R"([["a"],"b","|O",[2,1]])", "expected a list of 1 items");
    ExpectCorrupt(kJson2, {2, 1}, R"([["a"],["b","c"],"|O",[2,1]])", "expected a list of 1 items");
    EXPECT_TRUE(test::Fails(Decode(kJson2, {2}, std::string(200, '[')).status(), StatusCode::kLimit,
                            "ZARR_MAX_JSON_DEPTH"));
    ExpectCorrupt(kJson2, {1000000}, R"(["|O",[1000000]])", "more items than the encoded chunk");
    const auto encoding = Decode(R"({"id":"json2","encoding":"utf-16"})", {1}, "");
    EXPECT_EQ(encoding.status().code(), StatusCode::kUnsupported);
}

TEST(CategorizeObjects, DecodesUnknownCodesAsEmptyText) {
    const char* const config =
        R"({"id":"categorize","dtype":"|O","astype":"|i1","labels":["a","\u00e9t\u00e9"]})";
    ExpectDecodes(config, {5}, std::string("\x02\x01\x00\x03\xff", 5),
                  {"\xc3\xa9t\xc3\xa9", "a", "", "", ""});
    ExpectCorrupt(config, {5}, "\1\1\1\1", "holds 4 bytes instead of 5 codes of 1");
    ExpectCorrupt(config, {3}, "\1\1\1\1", "holds 4 bytes instead of 3 codes of 1");
    ExpectCorrupt(R"({"id":"categorize","dtype":"<U3","labels":[]})", {1}, "\1", "expected |O");
    ExpectCorrupt(R"({"id":"categorize","dtype":"|O","astype":"<u2","labels":["a"]})", {2}, "abc",
                  "holds 3 bytes");
}

TEST(ObjectCodecs, MustStandFirst) {
    CodecContext context;
    context.dtype.kind = DataKind::kObject;
    context.chunk_shape = {2};
    EXPECT_FALSE(BindJson(json::Value(), context).ok());
    EXPECT_FALSE(BindJson(test::Json(R"([{"id":"crc32"},{"id":"vlen-utf8"}])"), context).ok());
    EXPECT_TRUE(BindJson(test::Json(R"([{"id":"vlen-utf8"},{"id":"crc32"}])"), context).ok());
}

}  // namespace

}  // namespace zarr
