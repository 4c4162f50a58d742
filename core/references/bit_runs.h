// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

// Decodes `count` integers of `bits` (at most 32) bits each, in Parquet's "Run Length Encoding /
// Bit-Packing Hybrid". Returns kCorrupt if there are fewer. Bound `count`: 6 bytes may encode 2^31
// integers.
Result<std::vector<std::uint32_t>> DecodeBitRuns(ByteSpan bytes, unsigned bits, std::size_t count);

}  // namespace zarr
