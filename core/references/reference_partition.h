// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/parquet_column.h"
#include "core/references/reference.h"

namespace zarr {

// References from one Parquet file of Kerchunk (kerchunk's "References specification", "Parquet
// references"). Each row is the reference of one chunk. Immutable, and so thread-safe.
class ReferencePartition {
  public:
    // Reads `file`, the bytes of a whole file. Returns kCorrupt if the file is damaged or has more
    // than `most_rows` rows. Returns kUnsupported for a feature of Parquet that no writer of
    // references uses, and kLimit if the contents exceed Limit::kPartitionSize bytes.
    static Result<ReferencePartition> Read(ByteSpan file, std::uint64_t most_rows);

    // Returns the reference in row `row`; an absent reference if there are fewer rows.
    Reference At(std::uint64_t row) const;
    // True if the reference in row `row` is not absent.
    bool Has(std::uint64_t row) const;

    // Returns the number of rows up to the last reference. Writers pad the last file of an array
    // with absent references, which are not counted.
    std::uint64_t rows() const { return paths_.size(); }
    // Returns the memory that the references take, in bytes.
    std::size_t bytes() const;

  private:
    // Frees the memory of the absent references in the last rows.
    void Trim();
    bool HasRaw(std::size_t row) const { return !raws_.empty() && raws_[row] != 0; }
    bool HasPath(std::size_t row) const {
        return paths_[row] != 0 && !texts_.At(paths_[row]).empty();
    }

    TextPool texts_;
    // for each row, the index in `texts_` of its path; 0 for no path
    std::vector<std::uint32_t> paths_;
    // For each row, the index in `texts_` of its inline value; 0 for none. Empty if no row has an
    // inline value.
    std::vector<std::uint32_t> raws_;
    std::vector<std::uint64_t> offsets_;
    std::vector<std::uint64_t> sizes_;  // size of each value in bytes; 0: the whole target
};

}  // namespace zarr
