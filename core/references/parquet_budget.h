// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/base/limits.h"
#include "core/base/status.h"

namespace zarr {

// Counts the memory that reading one Parquet file takes. The limit is Limit::kPartitionSize. Not
// thread-safe.
class ParquetBudget {
  public:
    // Counts `bytes`; kLimit if the sum of all counted bytes exceeds the limit.
    Status Take(std::uint64_t bytes) {
        if (bytes > left_)
            return OverLimit(Limit::kPartitionSize, "the decompressed data has too many bytes");
        left_ -= bytes;
        return {};
    }

  private:
    std::uint64_t left_ = LimitOf(Limit::kPartitionSize);
};

}  // namespace zarr
