// SPDX-License-Identifier: MIT
#include "core/references/reference_partition.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "autotest/cpp/references/parquet_bytes.h"
#include "autotest/cpp/support/checks.h"
#include "autotest/cpp/support/project_file.h"
#include "autotest/cpp/support/scoped_limit.h"

namespace zarr {
namespace {

using test::ColumnBytes;
using test::DataPage;
using test::DataPage2;
using test::DictionaryPage;
using test::Little;
using test::ParquetFile;
using test::Varint;

constexpr std::uint64_t kMostRows = 100;
constexpr int kInt32 = 1;
constexpr int kInt64 = 2;
constexpr int kFloat = 4;
constexpr int kByteArray = 6;
constexpr int kPlain = 0;
constexpr int kPlainDictionary = 2;
constexpr int kBitPacked = 4;
constexpr int kDeltaByteArray = 7;
constexpr int kRleDictionary = 8;
constexpr int kByteStreamSplit = 9;
constexpr int kOptional = 1;

// Returns all references of a file as one line, or the error.
std::string RowsOf(const std::string& file, std::uint64_t most_rows = kMostRows) {
    const auto read = ReferencePartition::Read(ByteSpan(file), most_rows);
    if (!read.ok()) return read.status().message();
    std::string shown;
    for (std::uint64_t row = 0; row < read->rows(); ++row) {
        const Reference found = read->At(row);
        EXPECT_EQ(read->Has(row), found.kind != Reference::Kind::kAbsent);
        if (found.kind == Reference::Kind::kAbsent) shown += "-, ";
        if (found.kind == Reference::Kind::kInline) shown += "'" + found.bytes + "', ";
        if (found.kind == Reference::Kind::kTarget)
            shown += found.location + " " + std::to_string(found.offset) + " " +
                     (found.size ? std::to_string(*found.size) : "whole") + ", ";
    }
    EXPECT_FALSE(read->Has(read->rows()));
    EXPECT_EQ(read->At(UINT64_MAX).kind, Reference::Kind::kAbsent);
    return shown;
}

std::string Sample(const std::string& name) {
    std::ifstream file(test::ProjectFile("autotest/cpp/references/parquet/" + name),
                       std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string Texts(const std::vector<std::string>& texts) {
    std::string bytes;
    for (const std::string& text : texts) bytes += Little(text.size(), 4) + text;
    return bytes;
}

std::string Numbers(const std::vector<std::uint64_t>& numbers, std::size_t size = 8) {
    std::string bytes;
    for (const std::uint64_t number : numbers) bytes += Little(number, size);
    return bytes;
}

// Returns the definition levels of a version 1 page: one bit-packed run of at most 8 levels.
std::string Levels(unsigned bits) { return Little(2, 4) + "\x03" + static_cast<char>(bits); }

ColumnBytes Column(const std::string& name, int type, int repetition, int values,
                   const std::string& pages, int codec = 0) {
    return {name, type, repetition, values, pages, codec};
}

// Returns the columns of two references: 2 bytes at offset 1 of file "a", and 4 bytes at offset 3
// of file "b".
std::vector<ColumnBytes> TwoRows() {
    return {Column("path", kByteArray, 0, 2, DataPage(2, kPlain, Texts({"a", "b"}))),
            Column("offset", kInt64, 0, 2, DataPage(2, kPlain, Numbers({1, 3}))),
            Column("size", kInt64, 0, 2, DataPage(2, kPlain, Numbers({2, 4}))),
            Column("raw", kByteArray, kOptional, 2, DataPage(2, kPlain, Levels(0)))};
}

// Returns the file of TwoRows(). `column` replaces the column of the same name.
std::string With(const ColumnBytes& column) {
    auto columns = TwoRows();
    for (ColumnBytes& each : columns)
        if (each.name == column.name) each = column;
    return ParquetFile(2, columns);
}

// ------------------------------------------------------------------------------------------------
// Files of other writers

TEST(ReferencePartition, ReadsFilesOfOtherWriters) {
    const std::string kerchunk =
        "-, /tmp/parquet/data.bin 44 8, /tmp/parquet/data.bin 52 8, /tmp/parquet/data.bin 60 8, ";
    EXPECT_EQ(RowsOf(Sample("kerchunk_plain.parq")), kerchunk);
    EXPECT_EQ(RowsOf(Sample("kerchunk_categories.parq")), kerchunk);
    const std::string times = Numbers({0, 0x3ff0000000000000U, 0x4000000000000000U});
    EXPECT_EQ(RowsOf(Sample("virtualizarr_inline.parq")), "'" + times + "', ");
    const std::string pyarrow =
        "s3://b/x.nc 10 5, '\1\2', s3://b/y.nc 0 whole, s3://b/x.nc 30 8589934592, ";
    EXPECT_EQ(RowsOf(Sample("pyarrow_snappy_v2.parq")), pyarrow);
    EXPECT_EQ(RowsOf(Sample("pyarrow_gzip_groups.parq")), pyarrow);
    EXPECT_EQ(RowsOf(Sample("pyarrow_null.parq")), "'a', 'b', ");
}

// The file pyarrow_delta_groups.parq has another type and no large size in the column of sizes.
TEST(ReferencePartition, ReadsDeltaEncodings) {
    constexpr std::uint64_t kRows = 300;
    for (const char* name : {"pyarrow_delta_lz4_v2.parq", "pyarrow_delta_groups.parq"}) {
        const bool has_large_size = std::string(name) == "pyarrow_delta_lz4_v2.parq";
        std::string expected;
        for (std::uint64_t i = 0; i < kRows; ++i) {
            if (i % 5 == 0) {
                expected += "'inline" + std::to_string(i % 13) + "', ";
                continue;
            }
            const std::string number = std::to_string(i / 7);
            const std::uint64_t size = i == 77 && has_large_size ? 8589934592U : 5 + i % 11;
            expected += "s3://bucket/folder/file_" + std::string(3 - number.size(), '0') + number +
                        ".nc " + std::to_string(i * i * 1000003 % (std::uint64_t{1} << 40U)) + " " +
                        std::to_string(size) + ", ";
        }
        EXPECT_EQ(RowsOf(Sample(name), kRows), expected) << name;
    }
}

// Each text repeats all of the one before, so that 1 KiB of data make 500 KiB of texts.
TEST(ReferencePartition, BoundsRepeatedPrefixes) {
    const test::ScopedLimit limit(Limit::kPartitionSize, 1 << 20);
    constexpr int kRows = 1024;
    // The integers of DELTA_BINARY_PACKED begin with `first` and grow by a constant. Both are
    // stored as twice their value.
    const auto deltas = [](char first, char twice_step) {
        std::string bytes = Varint(128) + '\1' + Varint(kRows) + first;
        for (int row = 1; row < kRows; row += 128) bytes += {twice_step, '\0'};
        return bytes;
    };
    const std::string prefixes = deltas('\0', '\2');
    const std::string suffixes = deltas('\2', '\0') + std::string(kRows, 'x');
    auto columns = TwoRows();
    const std::string ones = Numbers(std::vector<std::uint64_t>(kRows, 1));
    columns[0] =
        Column("path", kByteArray, 0, kRows, DataPage(kRows, kDeltaByteArray, prefixes + suffixes));
    columns[1] = Column("offset", kInt64, 0, kRows, DataPage(kRows, kPlain, ones));
    columns[2] = Column("size", kInt64, 0, kRows, DataPage(kRows, kPlain, ones));
    columns.pop_back();
    const auto small = ReferencePartition::Read(ByteSpan(ParquetFile(kRows, columns)), kRows);
    EXPECT_TRUE(test::Succeeds(small.status()));
    const test::ScopedLimit less(Limit::kPartitionSize, 200000);
    const auto large = ReferencePartition::Read(ByteSpan(ParquetFile(kRows, columns)), kRows);
    EXPECT_TRUE(test::Fails(large.status(), StatusCode::kLimit, "ZARR_MAX_PARTITION_SIZE"));
}

TEST(ReferencePartition, RejectsOrReadsDamagedFiles) {
    const test::ScopedLimit limit(Limit::kPartitionSize, 1 << 20);
    for (const char* name :
         {"kerchunk_categories.parq", "virtualizarr_inline.parq", "pyarrow_snappy_v2.parq",
          "pyarrow_gzip_groups.parq", "pyarrow_delta_lz4_v2.parq"}) {
        const std::string whole = Sample(name);
        ASSERT_FALSE(whole.empty()) << name;
        for (std::size_t at = 0; at < whole.size(); ++at) {
            // A copy of exactly the truncated size, so that AddressSanitizer notices an access past
            // its end.
            const std::vector<char> start(whole.begin(), whole.begin() + static_cast<long>(at));
            EXPECT_FALSE(
                ReferencePartition::Read(ByteSpan({start.data(), start.size()}), kMostRows).ok());
            for (const int change : {0x01, 0x10, 0x80, 0xff}) {
                std::vector<char> bytes(whole.begin(), whole.end());
                bytes[at] = static_cast<char>(bytes[at] ^ change);
                const auto read =
                    ReferencePartition::Read(ByteSpan({bytes.data(), bytes.size()}), kMostRows);
                for (std::uint64_t row = 0; read.ok() && row < read->rows(); ++row)
                    static_cast<void>(read->At(row));
            }
        }
    }
}

// ------------------------------------------------------------------------------------------------
// Encodings of columns

TEST(ReferencePartition, ReadsRequiredColumns) {
    EXPECT_EQ(RowsOf(ParquetFile(2, TwoRows())), "a 1 2, b 3 4, ");
}

TEST(ReferencePartition, ReadsLevelsOfEachEncoding) {
    const std::string both = "a 1 2, b 3 4, ";
    const std::string first = "-, a 3 4, ";
    const auto path = [](const std::string& pages) {
        return With(Column("path", kByteArray, kOptional, 2, pages));
    };
    EXPECT_EQ(RowsOf(path(DataPage(2, kPlain, Levels(3) + Texts({"a", "b"})))), both);
    EXPECT_EQ(RowsOf(path(DataPage(2, kPlain, Levels(2) + Texts({"a"})))), first);
    // Two equal definition levels may be one run of two levels, or two runs of one level.
    EXPECT_EQ(RowsOf(path(DataPage(2, kPlain, Little(2, 4) + "\x04\x01" + Texts({"a", "b"})))),
              both);
    const std::string runs = Little(4, 4) + std::string("\x02\x00\x02\x01", 4);
    EXPECT_EQ(RowsOf(path(DataPage(2, kPlain, runs + Texts({"a"})))), first);
    // The deprecated encoding BIT_PACKED puts the first definition level into the highest bit.
    EXPECT_EQ(RowsOf(path(DataPage(2, kPlain, "\x40" + Texts({"a"}), kBitPacked))), first);
    const std::string level2 = "\x03\x02";
    EXPECT_EQ(RowsOf(path(DataPage2(2, kPlain, 2, level2 + Texts({"a"}), true, 7))), first);
    // Each row has its own page.
    EXPECT_EQ(RowsOf(path(DataPage(1, kPlain, Levels(0)) +
                          DataPage(1, kPlain, Levels(1) + Texts({"a"})))),
              first);
}

TEST(ReferencePartition, ReadsDictionaries) {
    const auto path = [](const std::string& pages) {
        return With(Column("path", kByteArray, 0, 2, pages));
    };
    const std::string dictionary = DictionaryPage(2, Texts({"b", "a"}));
    const std::string indices = std::string("\x01") + "\x03\x01";  // indices of 1 bit: 1, then 0
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kRleDictionary, indices))), "a 1 2, b 3 4, ");
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kPlainDictionary, indices))), "a 1 2, b 3 4, ");
    // Dictionary indices of 0 bits have no runs. In a run, an index of 9 bits takes two bytes.
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kRleDictionary, std::string(1, '\0')))),
              "b 1 2, b 3 4, ");
    EXPECT_EQ(
        RowsOf(path(dictionary + DataPage(2, kRleDictionary, std::string("\x09\x04\x01\x00", 4)))),
        "a 1 2, a 3 4, ");
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kRleDictionary, "\x02\x03\x0b"))),
              "path: index 3 is outside the dictionary of 2 values");
    EXPECT_EQ(RowsOf(path(DataPage(2, kRleDictionary, indices))),
              "path: index 1 is outside the dictionary of 0 values");
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kRleDictionary, ""))),
              "path: a page of the Parquet file is damaged");
    EXPECT_EQ(RowsOf(path(dictionary + DataPage(2, kRleDictionary, "\x21\x04"))),
              "path: integers of 33 bits exceed 32 bits");
    EXPECT_EQ(RowsOf(path(dictionary + dictionary + DataPage(2, kRleDictionary, indices))),
              "path: a column has two dictionaries");
    EXPECT_EQ(
        RowsOf(path(DictionaryPage(3, Texts({"b", "a"})) + DataPage(2, kRleDictionary, indices))),
        "path: a page of the Parquet file is damaged");
}

TEST(ReferencePartition, ReadsIntegersOf32Bits) {
    EXPECT_EQ(RowsOf(With(Column("offset", kInt32, 0, 2, DataPage(2, kPlain, Numbers({7, 8}, 4))))),
              "a 7 2, b 8 4, ");
}

TEST(ReferencePartition, ANullColumnMayHaveAnyType) {
    const std::string nulls = DataPage(2, kPlain, Levels(0));
    EXPECT_EQ(RowsOf(With(Column("path", kInt32, kOptional, 2, nulls))), "");
    EXPECT_EQ(RowsOf(With(Column("size", kByteArray, kOptional, 2, nulls))),
              "a 0 whole, b 0 whole, ");
}

TEST(ReferencePartition, ReadsCompressedPages) {
    const std::string plain = Texts({"a", "b"});
    std::string zstd(ZSTD_compressBound(plain.size()), '\0');
    zstd.resize(ZSTD_compress(zstd.data(), zstd.size(), plain.data(), plain.size(), 1));
    const auto path = [&](int codec, const std::string& data, std::int64_t size) {
        return With(Column("path", kByteArray, 0, 2, DataPage(2, kPlain, data, 3, size), codec));
    };
    EXPECT_EQ(RowsOf(path(6, zstd, 10)), "a 1 2, b 3 4, ");
    EXPECT_EQ(RowsOf(path(1, Varint(10) + "\x24" + plain, 10)), "a 1 2, b 3 4, ");
    EXPECT_EQ(RowsOf(path(6, zstd, 11)), "path: a page of the Parquet file is damaged");
    EXPECT_NE(RowsOf(path(6, plain, 10)).find("path: the Zstandard data of a page is damaged: "),
              std::string::npos);
    EXPECT_EQ(RowsOf(path(2, plain, 10)), "path: the gzip data of a page is damaged");
    EXPECT_EQ(RowsOf(path(1, Varint(9) + "\x24" + plain, 10)),
              "path: the Snappy data contains 9 bytes, but the page has 10");
    EXPECT_EQ(RowsOf(path(4, plain, 10)), "path: the compression BROTLI is unsupported");
    EXPECT_EQ(RowsOf(path(99, plain, 10)), "path: the compression 99 is unsupported");
    // The column has a codec, but the header of the version 2 page states that the page is not
    // compressed.
    EXPECT_EQ(RowsOf(With(
                  Column("path", kByteArray, 0, 2, DataPage2(2, kPlain, 0, plain, false, 10), 6))),
              "a 1 2, b 3 4, ");
}

// ------------------------------------------------------------------------------------------------
// References in rows

TEST(ReferencePartition, ARawValueCountsBeforeAPath) {
    const std::string raw = DataPage(2, kPlain, Levels(3) + Texts({"x", ""}));
    EXPECT_EQ(RowsOf(With(Column("raw", kByteArray, kOptional, 2, raw))), "'x', b 3 4, ");
    EXPECT_EQ(RowsOf(With(Column("size", kInt64, 0, 2, DataPage(2, kPlain, Numbers({0, 1}))))),
              "a 0 whole, b 3 1, ");
    EXPECT_EQ(RowsOf(With(Column("path", kByteArray, 0, 2, DataPage(2, kPlain, Texts({"", "b"}))))),
              "-, b 3 4, ");
}

TEST(ReferencePartition, RowsBehindTheLastReferenceTakeNoMemory) {
    constexpr int kRows = 1000;
    // Definition levels: a run of one value, then a run of 999 nulls.
    const std::string levels = "\x02\x01" + Varint(999U << 1U) + std::string(1, '\0');
    const std::string path = Little(levels.size(), 4) + levels + Texts({"a"});
    const std::string zeros = DataPage(kRows, kPlain, std::string(8 * kRows, '\0'));
    const std::string file = ParquetFile(
        kRows,
        {Column("path", kByteArray, kOptional, kRows, DataPage(kRows, kPlain, path)),
         Column("offset", kInt64, 0, kRows, zeros), Column("size", kInt64, 0, kRows, zeros)});
    EXPECT_EQ(RowsOf(file, kRows), "a 0 whole, ");
    EXPECT_LT(ReferencePartition::Read(ByteSpan(file), kRows)->bytes(), 500U);
}

TEST(ReferencePartition, TheColumnRawMayBeMissing) {
    auto columns = TwoRows();
    columns.pop_back();
    EXPECT_EQ(RowsOf(ParquetFile(2, columns)), "a 1 2, b 3 4, ");
    columns.pop_back();
    EXPECT_EQ(RowsOf(ParquetFile(2, columns)), "column size is missing");
}

TEST(ReferencePartition, IgnoresOtherColumns) {
    auto columns = TwoRows();
    columns.insert(columns.begin(), Column("other", kFloat, 2, 9, "no page", 99));
    EXPECT_EQ(RowsOf(ParquetFile(2, columns)), "a 1 2, b 3 4, ");
}

// ------------------------------------------------------------------------------------------------
// Faults

TEST(ReferencePartition, NamesWhatIsUnsupported) {
    EXPECT_EQ(RowsOf(With(Column("path", kByteArray, 0, 2, DataPage(2, kByteStreamSplit, "")))),
              "path: the encoding BYTE_STREAM_SPLIT is unsupported here");
    EXPECT_EQ(RowsOf(With(Column("size", kFloat, 0, 2, DataPage(2, kPlain, "")))),
              "size: values of the type FLOAT are unsupported");
    EXPECT_EQ(RowsOf(With(Column("path", kInt64, 0, 2, DataPage(2, kPlain, Numbers({1, 2}))))),
              "path: expected byte arrays, got integers");
    EXPECT_EQ(
        RowsOf(With(Column("size", kByteArray, 0, 2, DataPage(2, kPlain, Texts({"a", "b"}))))),
        "size: expected integers, got byte arrays");
    EXPECT_EQ(
        RowsOf(With(Column("path", kByteArray, 2, 2, DataPage(2, kPlain, Texts({"a", "b"}))))),
        "column path is nested or repeated, which is unsupported");
    EXPECT_EQ(RowsOf("PARE" + std::string(8, '\0') + "PARE"), "the Parquet file is encrypted");
}

TEST(ReferencePartition, RejectsDamagedFooters) {
    EXPECT_EQ(RowsOf(""), "is not a complete Parquet file");
    EXPECT_EQ(RowsOf("PAR1PAR1"), "is not a complete Parquet file");
    EXPECT_EQ(RowsOf("PAR1" + Little(1, 4) + "PAR1"),
              "the footer of 1 bytes is larger than the Parquet file of 12");
    EXPECT_EQ(RowsOf("PAR1" + Little(0, 4) + "PAR1"), "the footer of the Parquet file is damaged");
    EXPECT_EQ(RowsOf("PAR1" + std::string("\0", 1) + Little(1, 4) + "PAR1"),
              "the footer of the Parquet file is damaged");
    EXPECT_EQ(RowsOf(ParquetFile(3, TwoRows())),
              "column path has 2 values, but the file has 3 rows");
}

TEST(ReferencePartition, RejectsDamagedPages) {
    const auto path = [](int values, const std::string& pages) {
        return With(Column("path", kByteArray, 0, values, pages));
    };
    EXPECT_EQ(RowsOf(path(2, DataPage(3, kPlain, Texts({"a", "b", "c"})))),
              "path: a page has 3 values, but only 2 rows are left");
    EXPECT_EQ(RowsOf(path(2, DataPage(1, kPlain, Texts({"a"})))),
              "path: pages of the Parquet file are missing");
    EXPECT_EQ(RowsOf(path(2, DataPage(-2, kPlain, Texts({"a", "b"})))),
              "path: a page of the Parquet file is damaged");
    EXPECT_EQ(RowsOf(path(2, DataPage(2, kPlain, Texts({"a"}) + Little(2, 4) + "b"))),
              "path: a page of the Parquet file is damaged");
    EXPECT_EQ(
        RowsOf(With(Column("size", kInt64, 0, 2, DataPage(2, kPlain, Numbers({1}) + "1234567")))),
        "size: a page of the Parquet file is damaged");
    EXPECT_EQ(
        RowsOf(With(Column("size", kInt64, 0, 2, DataPage(2, kPlain, Numbers({1, UINT64_MAX}))))),
        "size: expected a number >= 0, got -1");
    EXPECT_EQ(RowsOf(With(Column("raw", kByteArray, kOptional, 2,
                                 DataPage(2, kPlain, Little(3, 4) + "\x03")))),
              "raw: a page of the Parquet file is damaged");
    EXPECT_EQ(
        RowsOf(With(Column("raw", kByteArray, kOptional, 2, DataPage(2, kPlain, Little(0, 4))))),
        "raw: a run of integers is damaged or truncated");
}

TEST(ReferencePartition, BoundsRowsAndMemory) {
    EXPECT_EQ(RowsOf(ParquetFile(2, TwoRows()), 2), "a 1 2, b 3 4, ");
    EXPECT_EQ(RowsOf(ParquetFile(2, TwoRows()), 1),
              "has 2 rows, which is more than the record size 1");
    const test::ScopedLimit limit(Limit::kPartitionSize, 1 << 16);
    // Definition levels: one RLE run of 5 bytes states 10 million nulls.
    constexpr int kRows = 10'000'000;
    const std::string run = Varint(std::uint64_t{kRows} << 1U) + std::string(1, '\0');
    const std::string nulls = DataPage(kRows, kPlain, Little(run.size(), 4) + run);
    std::vector<ColumnBytes> columns;
    for (const char* name : {"path", "offset", "size", "raw"})
        columns.push_back(Column(name, kInt32, kOptional, kRows, nulls));
    EXPECT_EQ(
        RowsOf(ParquetFile(kRows, columns), kRows),
        "path: the decompressed data has too many bytes; ZARR_MAX_PARTITION_SIZE allows 65536");
    // The page states a decompressed size of 1 GB. The reader must reject the page and not
    // decompress it.
    EXPECT_EQ(
        RowsOf(With(Column("path", kByteArray, 0, 2, DataPage(2, kPlain, "x", 3, 1 << 30), 6))),
        "path: the decompressed data has too many bytes; ZARR_MAX_PARTITION_SIZE allows 65536");
}

}  // namespace
}  // namespace zarr
