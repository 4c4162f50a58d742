// SPDX-License-Identifier: MIT
#include "core/references/parquet_writer.h"

#include <zstd.h>

#include <limits>
#include <utility>

#include "core/base/endian.h"
#include "core/references/parquet_footer.h"
#include "core/references/thrift_writer.h"

namespace zarr {

namespace {

// Version and enumeration values of the file format (Apache Parquet, "parquet.thrift").
constexpr std::int32_t kFormatVersion = 1;
constexpr std::int32_t kTypeInt64 = 2;
constexpr std::int32_t kTypeByteArray = 6;
constexpr std::int32_t kRequired = 0;
constexpr std::int32_t kOptional = 1;
constexpr std::int32_t kConvertedUtf8 = 0;
constexpr std::int32_t kDataPageKind = 0;
constexpr std::int32_t kPlainEncoding = 0;
constexpr std::int32_t kRleEncoding = 3;
constexpr std::int32_t kZstdCodec = 6;

void AppendLittle32(std::string& text, std::uint32_t value) {
    std::uint8_t bytes[4];
    StoreLittle32(bytes, value);
    text.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

void AppendLittle64(std::string& text, std::uint64_t value) {
    std::uint8_t bytes[8];
    StoreLittle64(bytes, value);
    text.append(reinterpret_cast<const char*>(bytes), sizeof bytes);
}

Result<std::string> CompressedPage(const std::string& data) {
    std::string compressed(ZSTD_compressBound(data.size()), '\0');
    const std::size_t size = ZSTD_compress(compressed.data(), compressed.size(), data.data(),
                                           data.size(), ZSTD_CLEVEL_DEFAULT);
    if (ZSTD_isError(size) != 0U)
        return Status::OutOfMemory(std::string("Zstandard: ") + ZSTD_getErrorName(size));
    compressed.resize(size);
    return compressed;
}

// Location and sizes of a column's page in the file, in bytes. Both sizes include the page header.
struct WrittenPage {
    std::size_t offset = 0;
    std::size_t size = 0;
    std::size_t compressed_size = 0;
};

Result<WrittenPage> WritePage(const ParquetColumnWriter& column, std::string& file) {
    const std::string data = column.PageData();
    constexpr std::size_t kMost = std::numeric_limits<std::int32_t>::max();
    if (data.size() > kMost || column.rows() > kMost)
        return Status::Unsupported("the column \"" + column.name() + "\" would take " +
                                   std::to_string(data.size()) +
                                   " bytes, and a Parquet page has less than 2 GiB");
    ZARR_ASSIGN_OR_RETURN(const std::string compressed, CompressedPage(data));
    if (compressed.size() > kMost)
        return Status::Unsupported("the column \"" + column.name() + "\" is too large");
    ThriftWriter header;
    header.I32(1, kDataPageKind);
    header.I32(2, static_cast<std::int32_t>(data.size()));
    header.I32(3, static_cast<std::int32_t>(compressed.size()));
    header.BeginStruct(5);
    header.I32(1, static_cast<std::int32_t>(column.rows()));
    header.I32(2, kPlainEncoding);
    header.I32(3, kRleEncoding);
    header.I32(4, kRleEncoding);
    header.EndStruct();
    header.EndStruct();
    const std::size_t header_size = header.bytes().size();
    const WrittenPage page{file.size(), header_size + data.size(), header_size + compressed.size()};
    file += header.bytes();
    file += compressed;
    return page;
}

void WriteSchema(const std::vector<const ParquetColumnWriter*>& columns, ThriftWriter& footer) {
    footer.StructList(2, columns.size() + 1);
    footer.BeginElement();
    footer.Text(4, "schema");
    footer.I32(5, static_cast<std::int32_t>(columns.size()));
    footer.EndStruct();
    for (const ParquetColumnWriter* column : columns) {
        footer.BeginElement();
        footer.I32(1, column->is_optional() ? kTypeByteArray : kTypeInt64);
        footer.I32(3, column->is_optional() ? kOptional : kRequired);
        footer.Text(4, column->name());
        if (column->type() == ParquetColumnWriter::Type::kText) footer.I32(6, kConvertedUtf8);
        footer.EndStruct();
    }
}

void WriteColumn(const ParquetColumnWriter& column, const WrittenPage& page, ThriftWriter& footer) {
    footer.BeginElement();
    footer.I64(2, static_cast<std::int64_t>(page.offset));
    footer.BeginStruct(3);
    footer.I32(1, column.is_optional() ? kTypeByteArray : kTypeInt64);
    footer.I32List(2, column.is_optional() ? 2 : 1);
    footer.I32Element(kPlainEncoding);
    if (column.is_optional()) footer.I32Element(kRleEncoding);
    footer.TextList(3, 1);
    footer.TextElement(column.name());
    footer.I32(4, kZstdCodec);
    footer.I64(5, static_cast<std::int64_t>(column.rows()));
    footer.I64(6, static_cast<std::int64_t>(page.size));
    footer.I64(7, static_cast<std::int64_t>(page.compressed_size));
    footer.I64(9, static_cast<std::int64_t>(page.offset));
    // Without the number of nulls, fastparquet reads integers as floating-point numbers.
    footer.BeginStruct(12);
    footer.I64(3, static_cast<std::int64_t>(column.nulls()));
    footer.EndStruct();
    footer.EndStruct();
    footer.EndStruct();
}

}  // namespace

void ParquetColumnWriter::AddRun(std::uint64_t rows, std::uint8_t level) {
    if (rows == 0) return;
    rows_ += rows;
    if (level == 0) nulls_ += rows;
    if (!runs_.empty() && runs_.back().level == level)
        runs_.back().rows += rows;
    else
        runs_.push_back({rows, level});
}

void ParquetColumnWriter::AddInt(std::int64_t value, std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
        AppendLittle64(values_, static_cast<std::uint64_t>(value));
    AddRun(count, 1);
}

void ParquetColumnWriter::AddBytes(std::string_view value) {
    AppendLittle32(values_, static_cast<std::uint32_t>(value.size()));
    values_ += value;
    AddRun(1, 1);
}

void ParquetColumnWriter::AddNulls(std::uint64_t count) { AddRun(count, 0); }

std::string ParquetColumnWriter::PageData() const {
    std::string levels;
    // A run has two parts: its length, shifted left by one bit and stored 7 bits a byte, then its
    // level in one byte (Apache Parquet, "Encodings", RLE).
    for (const Run& run : runs_) {
        std::uint64_t head = run.rows << 1U;
        for (; head >= 0x80U; head >>= 7U) levels += static_cast<char>((head & 0x7fU) | 0x80U);
        levels += static_cast<char>(head);
        levels += static_cast<char>(run.level);
    }
    if (!is_optional()) return values_;
    std::string data;
    data.reserve(4 + levels.size() + values_.size());
    AppendLittle32(data, static_cast<std::uint32_t>(levels.size()));
    data += levels;
    data += values_;
    return data;
}

void ParquetColumnWriter::Clear() {
    rows_ = nulls_ = 0;
    runs_.clear();
    values_.clear();
}

Result<std::string> WriteParquet(const std::vector<const ParquetColumnWriter*>& columns) {
    std::string file(kParquetMagic);
    std::vector<WrittenPage> pages;
    std::size_t size = 0;
    for (const ParquetColumnWriter* column : columns) {
        ZARR_ASSIGN_OR_RETURN(const WrittenPage page, WritePage(*column, file));
        pages.push_back(page);
        size += page.size;
    }
    const auto rows = static_cast<std::int64_t>(columns.empty() ? 0 : columns[0]->rows());
    ThriftWriter footer;
    footer.I32(1, kFormatVersion);
    WriteSchema(columns, footer);
    footer.I64(3, rows);
    footer.StructList(4, 1);
    footer.BeginElement();
    footer.StructList(1, columns.size());
    for (std::size_t i = 0; i < columns.size(); ++i) WriteColumn(*columns[i], pages[i], footer);
    footer.I64(2, static_cast<std::int64_t>(size));
    footer.I64(3, rows);
    footer.EndStruct();
    footer.Text(6, "gdal-plugin-zarr");
    footer.EndStruct();
    file += footer.bytes();
    AppendLittle32(file, static_cast<std::uint32_t>(footer.bytes().size()));
    file += kParquetMagic;
    return file;
}

}  // namespace zarr
