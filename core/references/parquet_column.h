// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/parquet_budget.h"
#include "core/references/parquet_footer.h"

namespace zarr {

// Texts in one block of memory. Equal texts that follow each other are stored once.
class TextPool {
  public:
    // Adds a text and returns its number. Numbers begin at 1.
    std::uint32_t Add(std::string_view text);
    // Returns the text with the number `number`, which Add() has returned.
    std::string_view At(std::uint32_t number) const;
    // Returns the memory of the texts in bytes.
    std::size_t bytes() const { return texts_.capacity() + ends_.capacity() * sizeof(ends_[0]); }
    void ShrinkToFit();

  private:
    std::string texts_;
    std::vector<std::uint64_t> ends_;
};

// ReadNumbers() reads a column of integers, ReadTexts() a column of byte arrays. `file` is the
// whole Parquet file. Both return one number for each row, 0 for a null. ReadTexts() adds the texts
// to `pool` and returns their numbers in `pool`.
//
// Errors begin with the column's name: kCorrupt if the file is damaged, kUnsupported for an
// unsupported encoding, and kLimit if the values exceed the budget.
Result<std::vector<std::uint64_t>> ReadNumbers(ByteSpan file, const ParquetColumn& column,
                                               ParquetBudget& budget);
Result<std::vector<std::uint32_t>> ReadTexts(ByteSpan file, const ParquetColumn& column,
                                             TextPool& pool, ParquetBudget& budget);

}  // namespace zarr
