// SPDX-License-Identifier: MIT
#include "core/references/parquet_pages.h"

#include <libdeflate.h>
#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <string>

#include "core/base/decompressor.h"
#include "core/references/snappy.h"

namespace zarr {

namespace {

using ThriftField = ThriftReader::Field;

// Numbers of the page types in "parquet.thrift" (enum PageType).
constexpr std::int64_t kDataPage = 0;
constexpr std::int64_t kIndexPage = 1;
constexpr std::int64_t kDictionaryPage = 2;
constexpr std::int64_t kDataPage2 = 3;

Status DamagedPage() { return Status::Corrupt("a page of the Parquet file is damaged"); }

Status DecompressZstd(ByteSpan compressed, MutableByteSpan bytes) {
    const std::size_t size =
        ZSTD_decompress(bytes.data, bytes.size, compressed.data, compressed.size);
    if (ZSTD_isError(size) != 0)
        return Status::Corrupt(std::string("the Zstandard data of a page is damaged: ") +
                               ZSTD_getErrorName(size));
    return size == bytes.size ? Status() : DamagedPage();
}

// Decompresses `compressed`, one or more gzip members (RFC 1952).
Status DecompressGzip(ByteSpan compressed, MutableByteSpan bytes) {
    libdeflate_decompressor* const decompressor = ThreadDecompressor();
    if (decompressor == nullptr) return Status::OutOfMemory("libdeflate has no memory");
    std::size_t written = 0;
    while (compressed.size != 0) {
        std::size_t consumed = 0;
        std::size_t produced = 0;
        const libdeflate_result result = libdeflate_gzip_decompress_ex(
            decompressor, compressed.data, compressed.size, bytes.data + written,
            bytes.size - written, &consumed, &produced);
        if (result != LIBDEFLATE_SUCCESS || consumed == 0)
            return Status::Corrupt("the gzip data of a page is damaged");
        compressed = compressed.From(consumed);
        written += produced;
    }
    return written == bytes.size ? Status() : DamagedPage();
}

// Decompresses `compressed`, one block of LZ4. `bytes` must not be empty.
Status DecompressLz4(ByteSpan compressed, MutableByteSpan bytes) {
    if (compressed.size > INT_MAX || bytes.size > INT_MAX) return DamagedPage();
    const int size = LZ4_decompress_safe(
        reinterpret_cast<const char*>(compressed.data), reinterpret_cast<char*>(bytes.data),
        static_cast<int>(compressed.size), static_cast<int>(bytes.size));
    if (size < 0 || static_cast<std::size_t>(size) != bytes.size)
        return Status::Corrupt("the LZ4 data of a page is damaged");
    return {};
}

}  // namespace

void ParquetPages::ReadKind(ThriftReader& in, std::int64_t kind, Header& header) {
    for (ThriftField field; in.NextField(field);) {
        if (field.id == 1)
            header.values = in.ReadInteger(field);
        else if (field.id == (kind == kDataPage2 ? 4 : 2))
            header.encoding = in.ReadInteger(field);
        else if (kind == kDataPage && field.id == 3)
            header.level_encoding = in.ReadInteger(field);
        else if (kind == kDataPage2 && field.id == 5)
            header.definition_size = in.ReadInteger(field);
        else if (kind == kDataPage2 && field.id == 6)
            header.repetition_size = in.ReadInteger(field);
        else if (kind == kDataPage2 && field.id == 7)
            header.is_compressed = in.ReadBool(field);
        else
            in.Skip(field);
    }
}

Result<ParquetPages::Header> ParquetPages::ReadHeader() {
    if (at_ >= file_.size) return Status::Corrupt("a page is outside the Parquet file");
    ThriftReader in(file_.From(static_cast<std::size_t>(at_)));
    Header header;
    for (ThriftField field; in.NextField(field);) {
        if (field.id == 1)
            header.kind = in.ReadInteger(field);
        else if (field.id == 2)
            header.size = in.ReadInteger(field);
        else if (field.id == 3)
            header.compressed_size = in.ReadInteger(field);
        else if (field.id == 5 && in.IsStruct(field))
            ReadKind(in, kDataPage, header);
        else if (field.id == 7 && in.IsStruct(field))
            ReadKind(in, kDictionaryPage, header);
        else if (field.id == 8 && in.IsStruct(field))
            ReadKind(in, kDataPage2, header);
        else
            in.Skip(field);
    }
    at_ += in.position();
    if (!in.ok() || header.size < 0 || header.compressed_size < 0) return DamagedPage();
    return header;
}

Result<ByteSpan> ParquetPages::Decompress(ByteSpan compressed, std::size_t size) {
    ZARR_RETURN_IF_ERROR(budget_.Take(size));
    ZARR_RETURN_IF_ERROR(memory_.Reset(size));
    const MutableByteSpan bytes{memory_.data(), size};
    if (size == 0) return ByteSpan();
    switch (chunk_.codec) {
        case ParquetCodec::kSnappy:
            ZARR_RETURN_IF_ERROR(DecompressSnappy(compressed, bytes));
            break;
        case ParquetCodec::kGzip:
            ZARR_RETURN_IF_ERROR(DecompressGzip(compressed, bytes));
            break;
        case ParquetCodec::kLz4Raw:
            ZARR_RETURN_IF_ERROR(DecompressLz4(compressed, bytes));
            break;
        default:
            ZARR_RETURN_IF_ERROR(DecompressZstd(compressed, bytes));
    }
    return ByteSpan(bytes);
}

Result<ParquetPage> ParquetPages::Next() {
    for (;;) {
        if (at_ - chunk_.offset >= chunk_.size)
            return Status::Corrupt("pages of the Parquet file are missing");
        ZARR_ASSIGN_OR_RETURN(const Header header, ReadHeader());
        const auto stored = static_cast<std::uint64_t>(header.compressed_size);
        if (stored > file_.size - at_) return Status::Corrupt("a page is outside the Parquet file");
        const ByteSpan bytes(file_.data + at_, static_cast<std::size_t>(stored));
        at_ += stored;
        if (header.kind == kIndexPage) continue;
        if (header.kind != kDataPage && header.kind != kDictionaryPage && header.kind != kDataPage2)
            return Status::Unsupported("pages of kind " + std::to_string(header.kind) +
                                       " are unsupported");
        if (header.values < 0) return DamagedPage();
        ParquetPage page;
        page.is_dictionary = header.kind == kDictionaryPage;
        page.values = static_cast<std::uint64_t>(header.values);
        page.encoding = static_cast<ParquetEncoding>(header.encoding);
        page.level_encoding = static_cast<ParquetEncoding>(header.level_encoding);
        // In a data page of version 2, the definition levels precede the values and are never
        // compressed.
        std::size_t levels = 0;
        if (header.kind == kDataPage2) {
            page.has_separate_levels = true;
            const std::int64_t most = std::min(header.size, header.compressed_size);
            if (header.definition_size < 0 || header.repetition_size != 0 ||
                header.definition_size > most)
                return DamagedPage();
            levels = static_cast<std::size_t>(header.definition_size);
            page.levels = ByteSpan(bytes.data, levels);
        }
        page.data = bytes.From(levels);
        const auto size = static_cast<std::size_t>(header.size) - levels;
        if (chunk_.codec != ParquetCodec::kNone && header.is_compressed) {
            ZARR_ASSIGN_OR_RETURN(page.data, Decompress(page.data, size));
        } else if (page.data.size != size) {
            return DamagedPage();
        }
        return page;
    }
}

}  // namespace zarr
