// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/dim_vector.h"
#include "core/base/status.h"
#include "core/grid/chunk_grid.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Numbers the chunks of an array in C order, which are the row numbers in Kerchunk's Parquet files.
// A shard counts as one chunk.
class ReferenceGrid {
  public:
    // Returns the grid of an array. Returns kCorrupt if the array has more than 2^64 - 1 chunks.
    static Result<ReferenceGrid> Of(const ArrayMetadata& metadata);

    // Returns the number of chunks; 1 if the array has no dimensions.
    std::uint64_t count() const { return count_; }
    // Returns the row of the chunk with the key `name`, which does not include the array's path.
    // Returns nullopt if no chunk of the array has that key.
    std::optional<std::uint64_t> RowOf(std::string_view name) const;
    // Returns the key of the chunk in row `row`, without the array's path.
    std::string NameOf(std::uint64_t row) const;

  private:
    DimVector<std::uint64_t> counts_;  // number of chunks of the array along each dimension
    ChunkKeyEncoding encoding_;
    std::uint64_t count_ = 1;
};

}  // namespace zarr
