// SPDX-License-Identifier: MIT
// Limits on untrusted input, for the whole process. A program that embeds the core may raise a
// limit for trusted stores.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/status.h"

namespace zarr {

enum class Limit : std::uint8_t {
    kChunkSize,       // maximum size in bytes of a decoded chunk
    kCodecMemory,     // maximum bytes that a codec's library allocates besides the chunk
    kStringSize,      // maximum bytes of a string, and of all strings and objects in a chunk
    kDimensions,      // maximum number of dimensions of an array
    kFilters,         // maximum number of filters of an array
    kMetadataSize,    // maximum size in bytes of a metadata document
    kJsonDepth,       // maximum nesting depth of a JSON document
    kJsonValues,      // maximum number of values in a JSON document
    kCoordinates,     // maximum elements of a coordinate array that locates a raster
    kReferences,      // maximum number of references in a Kerchunk document
    kReferenceSize,   // maximum bytes of a Kerchunk document, decompressed or parsed
    kTemplateLength,  // maximum bytes of an expanded template in a Kerchunk document
    kPartitionSize,   // maximum bytes of a Parquet file of Kerchunk references, decompressed
    kManifestSize,    // maximum bytes of all open files of an Icechunk repository, decompressed
};

// A limit and its range. Users set the limit with the configuration option `name`. `preset` is the
// default, and `largest` is the maximum.
struct LimitInfo {
    Limit limit;
    std::string_view name;
    bool is_bytes;  // true if the limit is in bytes, false if it is a count
    std::uint64_t preset;
    std::uint64_t largest;
};

// Returns the LimitInfo of every limit, in the order of the enumeration Limit.
const std::array<LimitInfo, 14>& Limits();

// Returns the current value of `limit`. Thread-safe.
std::uint64_t LimitOf(Limit limit);

// Sets `limit` to `value`, but at most to LimitInfo::largest. Data that were read before are not
// checked again. Thread-safe.
void SetLimit(Limit limit, std::uint64_t value);

// Returns an error with code kLimit. The message is `what`, followed by the limit's name and value.
Status OverLimit(Limit limit, std::string_view what);

}  // namespace zarr
