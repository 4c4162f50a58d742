// SPDX-License-Identifier: MIT
// Limits on the resources that reading a store may use. A damaged or hostile store fails with
// StatusCode::kLimit instead of exhausting memory. The limits apply to the whole process.
#pragma once

#include <cstdint>

#include "zarr_core/export.h"
#include "zarr_core/status.h"

namespace zarr_core {

// Limits that a program can set. Reading a store fails if it would exceed a limit.
enum class Limit : std::uint8_t {
    kChunkSize,     // maximum size of a decoded chunk in bytes
    kCodecMemory,   // maximum memory of a codec's library in bytes, in addition to the chunk
    kStringSize,    // maximum size of a string, and of all strings of a chunk, in bytes
    kDimensions,    // maximum number of dimensions of an array
    kFilters,       // maximum number of codecs of an array
    kMetadataSize,  // maximum size of a metadata document in bytes
    kJsonDepth,     // maximum depth of nested JSON values in a metadata document
    kJsonValues,    // maximum number of JSON values in a metadata document
};

// Returns the current value of `limit`. Thread-safe.
ZARR_CORE_EXPORT std::uint64_t GetLimit(Limit limit) noexcept;

// Sets the value of `limit` for later reads. kInvalidArgument if `value` exceeds the largest
// allowed value, which the message states. Thread-safe.
ZARR_CORE_EXPORT Status SetLimit(Limit limit, std::uint64_t value) noexcept;

}  // namespace zarr_core
