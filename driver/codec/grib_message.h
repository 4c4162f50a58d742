// SPDX-License-Identifier: MIT
// The sections of a GRIB message, checked before GDAL decodes it.
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr_driver {

// What the sections of a message with one field state. The spans point into the message.
struct GribMessage {
    zarr::ByteSpan bytes;  // the message, without bytes after it
    std::uint64_t columns = 0;
    std::uint64_t rows = 0;
    bool is_south_first = false;  // true if the first row is the southernmost
    bool is_regular = false;      // true if rows have one latitude, and columns one longitude
    bool is_gaussian = false;     // true if latitudes have no constant distance
    bool is_rotated = false;      // true if the grid has a rotated pole
    bool needs_ccsds = false;     // true if values are compressed by CCSDS
    bool has_marker = false;      // true if a number among the values stands for missing ones
    zarr::ByteSpan bitmap;        // a bit for each value, 0 if it is missing; empty if none is

    std::uint64_t values() const { return columns * rows; }
    bool IsMissing(std::uint64_t index) const {
        return bitmap.size != 0 && (bitmap.data[index / 8] >> (7 - index % 8) & 1) == 0;
    }
};

// Reads the sections of a message of edition 1 or 2 (WMO Manual on Codes, FM 92 GRIB). Returns
// kCorrupt if the message contradicts the format. Returns kUnsupported, with the name of the
// feature, for grids, orders of values and packings that GDAL does not decode as ecCodes does, and
// for messages with several fields.
zarr::Result<GribMessage> ReadGribMessage(zarr::ByteSpan bytes);

}  // namespace zarr_driver
