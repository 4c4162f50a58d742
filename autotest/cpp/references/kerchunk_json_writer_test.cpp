// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_json_writer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>

#include "core/references/kerchunk_json.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

// Collects text, and counts how often text is written.
class WrittenText final : public ByteSink {
  public:
    Status Write(ByteSpan bytes) override {
        if (fails) return Status::Io("the disk is full");
        text += bytes.text();
        ++writes;
        largest = std::max(largest, bytes.size);
        return {};
    }
    std::string text;
    int writes = 0;
    std::size_t largest = 0;
    bool fails = false;
};

TEST(KerchunkJsonWriter, WritesDocumentsAndReferences) {
    WrittenText text;
    KerchunkJsonWriter writer(text);
    ASSERT_TRUE(writer.Begin(4).ok());
    ASSERT_TRUE(writer.AddDocument(".zgroup", "{\"zarr_format\": 2}\n").ok());
    ASSERT_TRUE(writer.AddChunk({"x", "x/0", 0}, Reference::Target("/a b/\"q\"", 0, {})).ok());
    ASSERT_TRUE(writer.AddChunk({"x", "x/1", 1}, Reference::Target("s3://b/k", 7, 9)).ok());
    ASSERT_TRUE(writer.AddChunk({"x", "x/2", 2}, Reference::Target("u", 0, 9)).ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(text.text, R"({"version": 1, "refs": {
".zgroup": "{\"zarr_format\": 2}\n",
"x/0": ["/a b/\"q\""],
"x/1": ["s3://b/k", 7, 9],
"x/2": ["u", 0, 9]
}}
)");
}

TEST(KerchunkJsonWriter, WritesAStoreWithoutKeys) {
    WrittenText text;
    KerchunkJsonWriter writer(text);
    ASSERT_TRUE(writer.Begin(0).ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(text.text, "{\"version\": 1, \"refs\": {\n}}\n");
}

TEST(KerchunkJsonWriter, InlineValuesAreTextOrBase64) {
    const std::string values[] = {
        "plain", std::string("\0\x01\x7f", 3), "\xc3\xa9", "\xff\xfe", "base64:AAEC", ""};
    WrittenText text;
    KerchunkJsonWriter writer(text);
    ASSERT_TRUE(writer.Begin(6).ok());
    for (std::size_t i = 0; i < std::size(values); ++i)
        ASSERT_TRUE(
            writer.AddChunk({"x", "x/" + std::to_string(i), i}, Reference::Inline(values[i])).ok());
    ASSERT_TRUE(writer.AddDocument(".zattrs", "{\"a\": \"\xe9\"}").ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(text.text,
              "{\"version\": 1, \"refs\": {\n"
              "\"x/0\": \"plain\",\n"
              "\"x/1\": \"\\u0000\\u0001\x7f\",\n"
              "\"x/2\": \"\xc3\xa9\",\n"
              "\"x/3\": \"base64://4=\",\n"
              "\"x/4\": \"base64:YmFzZTY0OkFBRUM=\",\n"
              "\"x/5\": \"\",\n"
              "\".zattrs\": \"base64:eyJhIjogIukifQ==\"\n"
              "}}\n");

    MemoryStore store;
    ASSERT_TRUE(store.Set("r.json", ByteSpan(std::string_view(text.text))).ok());
    const auto read = KerchunkJson::Read(*ReadValue(store, "r.json", 5), "");
    ASSERT_TRUE(read.ok()) << read.status().message();
    for (std::size_t i = 0; i < std::size(values); ++i) {
        const auto found = (*read)->Find("x/" + std::to_string(i));
        ASSERT_TRUE(found.ok());
        EXPECT_EQ(found->bytes, values[i]) << i;
    }
}

TEST(KerchunkJsonWriter, RefusesLocationsThatReadersTakeForTemplates) {
    WrittenText text;
    KerchunkJsonWriter writer(text);
    ASSERT_TRUE(writer.Begin(1).ok());
    const Status status = writer.AddChunk({"x", "x/0", 0}, Reference::Target("/a/{{b}}", 0, {}));
    EXPECT_EQ(status.code(), StatusCode::kUnsupported);
    EXPECT_EQ(status.message(),
              "x/0: the location \"/a/{{b}}\" contains \"{{\", which readers take for a template; "
              "rename the file");
    EXPECT_EQ(writer.AddChunk({"x", "x/0", 0}, Reference::Target("/\xff", 0, {})).code(),
              StatusCode::kUnsupported);
}

TEST(KerchunkJsonWriter, WritesInBlocksAndReportsFailures) {
    WrittenText text;
    KerchunkJsonWriter writer(text);
    ASSERT_TRUE(writer.Begin(100'000).ok());
    for (std::uint64_t i = 0; i < 100'000; ++i)
        ASSERT_TRUE(
            writer.AddChunk({"x", "x/" + std::to_string(i), i}, Reference::Target("file", i, 1))
                .ok());
    EXPECT_GT(text.writes, 5);
    EXPECT_LT(text.largest, std::size_t{1} << 19);
    text.fails = true;
    EXPECT_EQ(writer.Finish().message(), "the disk is full");
}

}  // namespace
}  // namespace zarr
