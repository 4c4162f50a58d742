// SPDX-License-Identifier: MIT
// Image formats whose files GDAL decodes: a row for each codec.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/codec/image_head.h"

namespace zarr_driver {

// Options of a codec of imagecodecs that change how it decodes.
struct ImageSettings {
    std::string jpeg_tables;          // a JPEG stream with the tables that the chunks lack
    std::optional<bool> is_jpeg_rgb;  // true for RGB, false for YCbCr; else the file says it
    std::optional<bool> has_alpha;    // whether WebP pixels get alpha; else the file says it
    bool is_planar = false;           // true if the decoded samples are separate planes
};

// A codec of imagecodecs. https://github.com/cgohlke/imagecodecs documents its options.
struct ImageFormat {
    std::string_view id;  // numcodecs' id, which is also the name in Zarr v3
    const char* name;     // name of the format, for messages
    const char* driver;   // name of GDAL's driver
    unsigned max_sample_bytes;
    // Reads the options; an error names the option that is invalid or unsupported.
    zarr::Result<ImageSettings> (*read_settings)(const zarr::json::Value& options);
    // Reads the head of a file. A width of 0 means that GDAL's driver reads the head itself.
    zarr::Result<ImageHead> (*read_head)(zarr::ByteSpan file);
};

// Returns the member `key` of a codec's options; nullptr if it is missing or null.
const zarr::json::Value* StatedMember(const zarr::json::Value& options, std::string_view key);

// Returns a shape as messages show it: "[256, 256, 3]".
std::string ShapeText(const std::vector<std::uint64_t>& shape);

// Returns the format of codec `id`, which must exist.
const ImageFormat& ImageFormatOf(std::string_view id);

// Ids of all codecs.
inline constexpr std::string_view kImageCodecs[] = {"imagecodecs_jpeg", "imagecodecs_jpeg2k",
                                                    "imagecodecs_jpegxl", "imagecodecs_png",
                                                    "imagecodecs_webp"};

// Writes `file` to `complete`, with the tables and the colours that `settings` state. `file` must
// be a JPEG stream whose head ReadJpegHead() has read. Returns kCorrupt if the tables are no JPEG
// stream.
zarr::Status CompleteJpeg(zarr::ByteSpan file, const ImageSettings& settings,
                          zarr::Buffer& complete);

}  // namespace zarr_driver
