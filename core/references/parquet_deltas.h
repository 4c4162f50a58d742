// SPDX-License-Identifier: MIT
// Parquet's delta encodings (Apache Parquet, "Parquet encoding definitions").
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/references/parquet_budget.h"

namespace zarr {

// Decodes `count` integers in the encoding DELTA_BINARY_PACKED. The lower 32 bits are valid if the
// integers are of 32 bits. Removes the encoded integers from `bytes`. Returns kCorrupt if the data
// is damaged or has another count, and kLimit if the integers exceed the budget.
Result<std::vector<std::int64_t>> DecodeDeltas(ByteSpan& bytes, std::size_t count,
                                               ParquetBudget& budget);

// Calls `visit` for each of `count` byte arrays in the encoding DELTA_LENGTH_BYTE_ARRAY, or in
// DELTA_BYTE_ARRAY if `has_prefixes`. Returns kCorrupt if the data is damaged, and kLimit if the
// byte arrays exceed the budget.
Status DecodeDeltaTexts(ByteSpan bytes, std::size_t count, bool has_prefixes, ParquetBudget& budget,
                        const std::function<void(std::string_view)>& visit);

}  // namespace zarr
