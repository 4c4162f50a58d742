// SPDX-License-Identifier: MIT
// What input may ask for at most. The bounds hold for the process; a program that embeds the core
// may raise them for stores that are trusted.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

enum class Limit : std::uint8_t {
    kChunkSize,     // bytes of a decoded chunk
    kCodecMemory,   // bytes that a codec's library takes beside the chunk, as for a dictionary
    kStringSize,    // bytes of an element, and of all strings and objects of a chunk
    kDimensions,    // of an array
    kFilters,       // of an array
    kMetadataSize,  // bytes of a metadata document
    kJsonDepth,     // of nesting in one
    kJsonValues,    // in one
    kCoordinates,   // elements of an array of coordinates that is read to find where a raster lies
};

// How a limit is known to users, and the values that it may have: `preset` unless it is set, and
// at most `largest`.
struct LimitInfo {
    Limit limit;
    std::string_view name;
    bool is_bytes;  // else a count
    std::uint64_t preset;
    std::uint64_t largest;
};

// Of all limits, in the order of the enumeration.
const std::array<LimitInfo, 9>& Limits();

// The value that holds now. Thread-safe.
std::uint64_t LimitOf(Limit limit);

// Sets it, to at most `largest`; what is read already stays. Thread-safe.
void SetLimit(Limit limit, std::uint64_t value);

// kLimit: `what`, and the name and value of the limit that it is over.
Status OverLimit(Limit limit, std::string_view what);

}  // namespace zarr
