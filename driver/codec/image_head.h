// SPDX-License-Identifier: MIT
// What the head of an image file states. Heads are read before GDAL is called, so that a file with
// more pixels than its chunk is never decoded.
#pragma once

#include <cstdint>

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr_driver {

// Shape and type of an image that is not decoded yet.
struct ImageHead {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    unsigned samples = 1;  // values of a pixel
    unsigned bits = 8;     // bits of a sample: 1 to 16
    bool is_signed = false;
    // The part of the file that GDAL decodes. Points into the file.
    zarr::ByteSpan file;

    // Bytes of a sample of the decoded image.
    unsigned sample_bytes() const { return bits > 8 ? 2 : 1; }
};

// Read the head of a JPEG, PNG or WebP file, without reading outside of `file`. Return kCorrupt if
// the file contradicts its format, and kUnsupported for an image whose pixels GDAL's driver and
// imagecodecs decode differently.
// Sources: ITU-T T.81; W3C PNG specification; RFC 9649 (WebP).
zarr::Result<ImageHead> ReadJpegHead(zarr::ByteSpan file);
zarr::Result<ImageHead> ReadPngHead(zarr::ByteSpan file);
zarr::Result<ImageHead> ReadWebpHead(zarr::ByteSpan file);

// Reads the head of a JPEG 2000 code stream, or of a JP2 file with one (ISO/IEC 15444-1, Annexes A
// and I). The result's `file` is the code stream. Returns errors as the functions above do. Also
// checks all marker segments, and bounds the memory that decoding needs besides the pixels, because
// OpenJPEG trusts them. Refuses HTJ2K, because OpenJPEG 2.5.0 ends the process if such a stream is
// damaged.
zarr::Result<ImageHead> ReadJpeg2000Head(zarr::ByteSpan file);

}  // namespace zarr_driver
