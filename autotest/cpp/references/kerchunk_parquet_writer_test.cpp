// SPDX-License-Identifier: MIT
#include "core/references/kerchunk_parquet_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "core/base/endian.h"
#include "core/store/memory_store.h"

namespace zarr {
namespace {

std::string StoredText(const Store& store, const std::string& key) {
    Buffer value;
    const auto found = store.Get(key, value, 1 << 20);
    if (!found.ok() || !*found) return "absent";
    return std::string(std::as_const(value).span().text());
}

// Expected row of the Parquet file.
struct ExpectedRow {
    const char* path = nullptr;
    std::int64_t offset = 0;
    std::int64_t size = 0;
    const char* raw = nullptr;
};
std::string FileOf(const std::vector<ExpectedRow>& rows) {
    using ColumnType = ParquetColumnWriter::Type;
    ParquetColumnWriter path("path", ColumnType::kText);
    ParquetColumnWriter offset("offset", ColumnType::kInt64);
    ParquetColumnWriter size("size", ColumnType::kInt64);
    ParquetColumnWriter raw("raw", ColumnType::kBytes);
    const auto add = [](ParquetColumnWriter& column, const char* text) {
        if (text != nullptr)
            column.AddBytes(text);
        else
            column.AddNulls();
    };
    for (const ExpectedRow& row : rows) {
        add(path, row.path);
        offset.AddInt(row.offset);
        size.AddInt(row.size);
        add(raw, row.raw);
    }
    return *WriteParquet({&path, &offset, &size, &raw});
}

TEST(KerchunkParquetWriter, WritesAFileForEachSectionOfAnArray) {
    MemoryStore store;
    KerchunkParquetWriter writer(store, 3);
    ASSERT_TRUE(writer.Begin(8).ok());
    ASSERT_TRUE(writer.AddDocument(".zgroup", "{\"zarr_format\": 2}").ok());
    ASSERT_TRUE(writer.AddDocument("g/x/.zattrs", "{\"a\": NaN}").ok());
    ASSERT_TRUE(writer.AddChunk({"g/x", "g/x/0.1", 1}, Reference::Target("u", 5, 6)).ok());
    ASSERT_TRUE(writer.AddChunk({"g/x", "g/x/1.3", 7}, Reference::Target("v", 0, {})).ok());
    ASSERT_TRUE(writer.AddChunk({"y", "y/0", 0}, Reference::Inline("abc")).ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(StoredText(store, "g/x/refs.0.parq"), FileOf({{}, {"u", 5, 6}, {}}));
    EXPECT_EQ(StoredText(store, "g/x/refs.1.parq"), "absent");
    EXPECT_EQ(StoredText(store, "g/x/refs.2.parq"), FileOf({{}, {"v", 0, 0}, {}}));
    EXPECT_EQ(StoredText(store, "y/refs.0.parq"), FileOf({{nullptr, 0, 0, "abc"}, {}, {}}));
    EXPECT_EQ(StoredText(store, ".zmetadata"),
              "{\"metadata\": {\n\".zgroup\": {\"zarr_format\": 2},\n"
              "\"g/x/.zattrs\": {\"a\": NaN}\n}, \"record_size\": 3}\n");
}

TEST(KerchunkParquetWriter, FilesAreNotLongerThanTheLargestArray) {
    for (const auto& [chunks, rows] :
         {std::pair<std::uint64_t, int>{0, 1}, {1, 1}, {5, 5}, {100'001, 100'000}}) {
        MemoryStore store;
        KerchunkParquetWriter writer(store);
        ASSERT_TRUE(writer.Begin(chunks).ok());
        ASSERT_TRUE(writer.Finish().ok());
        EXPECT_EQ(StoredText(store, ".zmetadata"),
                  "{\"metadata\": {\n\n}, \"record_size\": " + std::to_string(rows) + "}\n");
    }
}

TEST(KerchunkParquetWriter, ReplacesTheSeparatorOfArraysAlone) {
    MemoryStore store;
    KerchunkParquetWriter writer(store);
    ASSERT_TRUE(writer.Begin(1).ok());
    const std::string slash = R"({"dimension_separator": "/", "x": 1.50})";
    ASSERT_TRUE(writer.AddDocument("x/.zarray", slash).ok());
    ASSERT_TRUE(writer.AddDocument("x/.zattrs", slash).ok());
    ASSERT_TRUE(writer.AddDocument("y/.zarray", R"({"dimension_separator":"."})").ok());
    ASSERT_TRUE(writer.Finish().ok());
    EXPECT_EQ(StoredText(store, ".zmetadata"),
              "{\"metadata\": {\n\"x/.zarray\": {\"dimension_separator\": \".\", \"x\": 1.5},\n"
              "\"x/.zattrs\": " +
                  slash + ",\n\"y/.zarray\": {\"dimension_separator\":\".\"}\n}, " +
                  "\"record_size\": 1}\n");
}

TEST(KerchunkParquetWriter, RefusesWhatParquetCannotHold) {
    MemoryStore store;
    KerchunkParquetWriter writer(store);
    ASSERT_TRUE(writer.Begin(1).ok());
    EXPECT_EQ(writer.AddDocument("x/zarr.json", "{}").code(), StatusCode::kUnsupported);
    EXPECT_EQ(writer.AddDocument(".zattrs", "{").code(), StatusCode::kCorrupt);
    EXPECT_EQ(writer.AddChunk({"", "0", 0}, Reference::Target("u", 0, 1)).code(),
              StatusCode::kUnsupported);
    EXPECT_EQ(writer.AddChunk({"x", "x/0", 0}, Reference::Target("\xff", 0, 1)).code(),
              StatusCode::kUnsupported);
    EXPECT_EQ(writer.AddChunk({"x", "x/0", 0}, Reference::Target("u", UINT64_MAX, 1)).code(),
              StatusCode::kUnsupported);
}

}  // namespace
}  // namespace zarr
