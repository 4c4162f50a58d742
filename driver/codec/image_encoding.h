// SPDX-License-Identifier: MIT
// How chunks are written as image files: a row for each codec that can be written.
#pragma once

#include <cpl_string.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"
#include "driver/codec/image_formats.h"

namespace zarr_driver {

// Rows, columns and samples of the image that a chunk becomes.
struct ImageShape {
    std::uint64_t rows = 1;
    std::uint64_t columns = 1;
    std::uint64_t samples = 1;
};

// A format that GDAL writes.
struct ImageEncoding {
    std::string_view id;         // id of the codec, as in ImageFormat
    const char* samples;         // numbers of samples that an image may have, as text: "1 or 3"
    std::uint64_t largest_side;  // rows or columns that the format or its library allow
    // Returns the creation options with which GDAL's driver writes images of `samples` samples as
    // the codec's `options` state. An error names the option that is invalid, or that GDAL's driver
    // does not have.
    zarr::Result<CPLStringList> (*driver_options)(const zarr::json::Value& options,
                                                  std::uint64_t samples);
};

// Returns how the codec `id` is written; nullptr if it cannot be written.
const ImageEncoding* FindImageEncoding(std::string_view id);

// Returns the image that a chunk of `chunk_shape` becomes. The last of three dimensions are the
// samples, if the format allows so many; else dimensions of one element are left out, as
// imagecodecs does. Returns kUnsupported if no image of the format has this shape.
zarr::Result<ImageShape> ShapeToWrite(const ImageFormat& format, const ImageEncoding& encoding,
                                      const std::vector<std::uint64_t>& chunk_shape);

// Returns ok if GDAL can write images with the driver `driver`; else kUnsupported, which names the
// driver that is missing.
zarr::Status RequireWriters(const char* driver);

// Writes `pixels`, rows of pixels of interleaved samples of `sample_bytes` bytes, as an image file
// into `encoded`. Thread-safe. Returns kUnsupported if GDAL lacks a driver, and kCorrupt with
// GDAL's message if the driver cannot write the image.
zarr::Status WriteImage(const char* driver, const CPLStringList& driver_options,
                        const ImageShape& shape, unsigned sample_bytes, zarr::ByteSpan pixels,
                        zarr::Buffer& encoded);

}  // namespace zarr_driver
