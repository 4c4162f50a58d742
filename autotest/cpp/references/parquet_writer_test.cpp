// SPDX-License-Identifier: MIT
#include "core/references/parquet_writer.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <string>

#include "core/base/endian.h"

namespace zarr {
namespace {

using namespace std::string_literals;
using ColumnType = ParquetColumnWriter::Type;

TEST(ParquetColumnWriter, WritesRequiredIntegersWithoutLevels) {
    ParquetColumnWriter column("size", ColumnType::kInt64);
    column.AddInt(258);
    column.AddInt(-1, 2);
    EXPECT_EQ(column.rows(), 3U);
    EXPECT_EQ(column.PageData(), "\x02\x01\0\0\0\0\0\0"s + std::string(16, '\xff'));
}

TEST(ParquetColumnWriter, WritesRunsOfLevelsBeforeOptionalValues) {
    ParquetColumnWriter column("path", ColumnType::kText);
    column.AddBytes("ab");
    column.AddBytes("");
    column.AddNulls(100);
    column.AddBytes("c");
    EXPECT_EQ(column.rows(), 103U);
    // The column has 2 values, then 100 nulls, then 1 value.
    EXPECT_EQ(column.PageData(),
              "\x07\0\0\0\x04\x01\xc8\x01\0\x02\x01"
              "\x02\0\0\0ab\0\0\0\0\x01\0\0\0c"s);
}

TEST(ParquetColumnWriter, JoinsRunsOfEqualLevels) {
    ParquetColumnWriter column("raw", ColumnType::kBytes);
    column.AddNulls(3);
    column.AddNulls(0);
    column.AddNulls(4);
    EXPECT_EQ(column.PageData(), "\x02\0\0\0\x0e\0"s);
    column.Clear();
    EXPECT_EQ(column.rows(), 0U);
    EXPECT_EQ(column.PageData(), "\0\0\0\0"s);
}

std::string Decompressed(std::string_view compressed) {
    std::string text(1000, '\0');
    const std::size_t size =
        ZSTD_decompress(text.data(), text.size(), compressed.data(), compressed.size());
    EXPECT_FALSE(ZSTD_isError(size));
    text.resize(ZSTD_isError(size) != 0U ? 0 : size);
    return text;
}

// Returns `number` as a signed integer of Thrift's compact protocol, in one or two bytes.
std::string Zigzag(std::size_t number) {
    const std::size_t bits = 2 * number;
    if (bits < 0x80U) return {static_cast<char>(bits)};
    return {static_cast<char>(0x80U | (bits & 0x7fU)), static_cast<char>(bits >> 7U)};
}

TEST(ParquetWriter, WritesPagesAndAFooter) {
    ParquetColumnWriter size("s", ColumnType::kInt64);
    size.AddInt(5);
    size.AddInt(6);
    ParquetColumnWriter path("p", ColumnType::kText);
    path.AddNulls();
    path.AddBytes("x");
    const auto written = WriteParquet({&size, &path});
    ASSERT_TRUE(written.ok());
    const std::string& file = *written;

    // Header of the first page: its type, its decompressed and its compressed size, the number of
    // values (2), and the encoding PLAIN.
    ASSERT_GT(file.size(), 60U);
    const std::size_t first = static_cast<unsigned char>(file[9]) / 2;
    const std::string header =
        "PAR1\x15\0\x15\x20\x15"s + Zigzag(first) + "\x2c\x15\x04\x15\0\x15\x06\x15\x06\0\0"s;
    EXPECT_EQ(file.substr(0, header.size()), header);
    EXPECT_EQ(Decompressed(file.substr(header.size(), first)),
              "\x05\0\0\0\0\0\0\0\x06\0\0\0\0\0\0\0"s);

    // The second page has a null and the text "x". Its definition levels are two runs in 4 bytes.
    const std::size_t begin = header.size() + first;
    const std::size_t second = static_cast<unsigned char>(file[begin + 5]) / 2;
    const std::string next =
        "\x15\0\x15\x1a\x15"s + Zigzag(second) + "\x2c\x15\x04\x15\0\x15\x06\x15\x06\0\0"s;
    EXPECT_EQ(file.substr(begin, next.size()), next);
    EXPECT_EQ(Decompressed(file.substr(begin + next.size(), second)),
              "\x04\0\0\0\x02\0\x02\x01\x01\0\0\0x"s);

    const std::size_t end = begin + next.size() + second;
    const std::size_t head = header.size() - 4;  // size of a page header
    const std::string footer =
        "\x15\x02"                           // FileMetaData: format version 1
        "\x19\x3c\x48\x06schema\x15\x04\0"   // schema: root with 2 columns
        "\x15\x04\x25\0\x18\x01s\0"          // column s: INT64, required
        "\x15\x0c\x25\x02\x18\x01p\x25\0\0"  // column p: BYTE_ARRAY, optional, UTF8
        "\x16\x04"                           // 2 rows
        "\x19\x1c\x19\x2c"                   // one row group of 2 columns
        "\x26\x08\x1c\x15\x04\x19\x15\0\x19\x18\x01s\x15\x0c\x16\x04\x16"s +
        Zigzag(head + 16) + "\x16" + Zigzag(head + first) + "\x26\x08\x3c\x36\0\0\0\0"s + "\x26" +
        Zigzag(begin) + "\x1c\x15\x0c\x19\x25\0\x06\x19\x18\x01p\x15\x0c\x16\x04\x16"s +
        Zigzag(head + 13) + "\x16" + Zigzag(head + second) + "\x26" + Zigzag(begin) +
        "\x3c\x36\x02\0\0\0"s + "\x16" + Zigzag(29 + 2 * head) +
        "\x16\x04\0\x28\x10gdal-plugin-zarr\0"s;
    EXPECT_EQ(file.substr(end, file.size() - end - 8), footer);
    EXPECT_EQ(LoadLittle32(reinterpret_cast<const std::uint8_t*>(file.data() + file.size() - 8)),
              footer.size());
    EXPECT_EQ(file.substr(file.size() - 4), "PAR1");
}

}  // namespace
}  // namespace zarr
