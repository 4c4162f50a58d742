// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/parquet_budget.h"

namespace zarr {

// First and last bytes of a Parquet file.
inline constexpr std::string_view kParquetMagic = "PAR1";

// Physical types of values, with the numbers of Parquet's "parquet.thrift" (enum Type).
enum class ParquetType : std::uint8_t { kInt32 = 1, kInt64 = 2, kBytes = 6 };

// Compression of pages, with the numbers of "parquet.thrift" (enum CompressionCodec).
enum class ParquetCodec : std::uint8_t {
    kNone = 0,
    kSnappy = 1,
    kGzip = 2,
    kZstd = 6,
    kLz4Raw = 7
};

// Values of one column in one row group.
struct ParquetChunk {
    ParquetType type = ParquetType::kInt32;
    ParquetCodec codec = ParquetCodec::kNone;
    std::uint64_t rows = 0;    // number of values, nulls included
    std::uint64_t offset = 0;  // position in the file of the chunk's first page
    std::uint64_t size = 0;    // size of all pages in bytes
};

// Column of a Parquet file. `chunks` is empty if the file lacks the column.
struct ParquetColumn {
    std::string_view name;
    bool is_present = false;
    bool is_optional = false;          // true if values may be null
    std::vector<ParquetChunk> chunks;  // one item for each row group
};

// Footer of a Parquet file: number of rows, and locations of the values of some columns (Apache
// Parquet, "File format").
struct ParquetFooter {
    std::uint64_t rows = 0;
    std::vector<ParquetColumn> columns;  // in the order of the `names` passed to Read()

    // Reads the footer of `file`, the bytes of a whole file. `names` are the columns that are
    // wanted, and must outlive the result. kCorrupt if the file is damaged. kUnsupported if a
    // wanted column is nested, or has an unsupported type or codec.
    static Result<ParquetFooter> Read(ByteSpan file, const std::vector<std::string_view>& names,
                                      ParquetBudget& budget);
};

}  // namespace zarr
