// SPDX-License-Identifier: MIT
// Bounds on what a store may ask of the process. A damaged or hostile store then fails with
// StatusCode::kLimit and does not take all memory. The bounds hold for the process.
#pragma once

#include <cstdint>

#include "zarr_core/export.h"
#include "zarr_core/status.h"

namespace zarr_core {

// The bounds that can be set.
enum class Limit : std::uint8_t {
    kChunkSize,     // bytes of a decoded chunk
    kCodecMemory,   // bytes that the library of a codec allocates beside the chunk
    kStringSize,    // bytes of an element, and of all strings of a chunk
    kDimensions,    // dimensions of an array
    kFilters,       // codecs of an array
    kMetadataSize,  // bytes of a metadata document
    kJsonDepth,     // levels of nesting in a metadata document
    kJsonValues,    // JSON values in a metadata document
};

// Returns the bound that holds now. Thread-safe.
ZARR_CORE_EXPORT std::uint64_t GetLimit(Limit limit) noexcept;

// Sets a bound. What was read before stays. Fails with kInvalidArgument if `value` exceeds the
// largest value of this limit, which the message tells. Thread-safe.
ZARR_CORE_EXPORT Status SetLimit(Limit limit, std::uint64_t value) noexcept;

}  // namespace zarr_core
