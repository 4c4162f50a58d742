// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/parquet_budget.h"
#include "core/references/parquet_footer.h"
#include "core/references/thrift_reader.h"

namespace zarr {

// Encodings of values and of definition and repetition levels, with the numbers of "parquet.thrift"
// (enum Encoding).
enum class ParquetEncoding : std::int64_t {
    kPlain = 0,
    kPlainDictionary = 2,
    kRle = 3,
    kBitPacked = 4,
    kDeltaBinaryPacked = 5,
    kDeltaLengthByteArray = 6,
    kDeltaByteArray = 7,
    kRleDictionary = 8,
};

// A page of a column, decompressed.
struct ParquetPage {
    bool is_dictionary = false;
    std::uint64_t values = 0;  // number of values, nulls included
    ParquetEncoding encoding = ParquetEncoding::kPlain;
    ParquetEncoding level_encoding = ParquetEncoding::kRle;
    // Definition levels of a version 2 page. In a version 1 page, the levels are at the start of
    // `data`.
    bool has_separate_levels = false;
    ByteSpan levels;
    ByteSpan data;
};

// Reads the pages of a column one after another (Apache Parquet, "Data pages"). Not thread-safe.
class ParquetPages {
  public:
    // `file` is the whole file. `file` and `budget` must outlive this object.
    ParquetPages(ByteSpan file, const ParquetChunk& chunk, ParquetBudget& budget)
        : file_(file), chunk_(chunk), at_(chunk.offset), budget_(budget) {}

    // Reads the next page with values or a dictionary; the page is valid until the next call.
    // Returns kCorrupt if no page follows, and kLimit if the pages exceed the budget.
    Result<ParquetPage> Next();

  private:
    struct Header {
        std::int64_t kind = -1;
        // Decompressed size of the page in bytes; -1: not stated.
        std::int64_t size = -1;
        // Size of the page in the file, in bytes; -1: not stated.
        std::int64_t compressed_size = -1;
        std::int64_t values = -1;
        std::int64_t encoding = -1;
        std::int64_t level_encoding = static_cast<std::int64_t>(ParquetEncoding::kRle);
        std::int64_t definition_size = 0;  // size of the definition levels in bytes
        std::int64_t repetition_size = 0;  // size of the repetition levels in bytes
        bool is_compressed = true;
    };
    // Reads the fields that only headers of pages of the kind `kind` have. The same field has a
    // different id in each kind.
    static void ReadKind(ThriftReader& in, std::int64_t kind, Header& header);
    // Reads the header at `at_`, and moves `at_` to its end.
    Result<Header> ReadHeader();
    // Decompresses `compressed` into `size` bytes.
    Result<ByteSpan> Decompress(ByteSpan compressed, std::size_t size);

    const ByteSpan file_;
    const ParquetChunk chunk_;
    std::uint64_t at_;  // position in the file at which the next page begins
    ParquetBudget& budget_;
    Buffer memory_;  // memory of the decompressed page
};

}  // namespace zarr
