// SPDX-License-Identifier: MIT
// A file in memory that one driver of GDAL reads.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <memory>

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "driver/codec/image_scope.h"

namespace zarr_driver {

// An open dataset of GDAL over bytes in memory. The dataset belongs to one thread, whose GDAL
// errors are hidden while the object exists. No other driver is asked, nothing beside the bytes is
// read, and nothing is written.
class MemoryImage {
  public:
    // Opens `file`, which must outlive the object and is not copied, with GDAL's driver `driver`.
    // Configuration options for one thread are set while the object exists. Returns kCorrupt with
    // GDAL's message if the driver rejects the file.
    static zarr::Result<std::unique_ptr<MemoryImage>> Open(zarr::ByteSpan file, const char* driver);

    MemoryImage(const MemoryImage&) = delete;
    MemoryImage& operator=(const MemoryImage&) = delete;
    ~MemoryImage() = default;

    GDALDataset& dataset() { return *dataset_; }

    // Reads the first `bands` bands, as `type`, into `to`. `pixel_space`, `line_space` and
    // `band_space` are bytes between pixels, rows and bands of the destination, as in
    // GDALDataset::RasterIO().
    zarr::Status Read(std::uint8_t* to, GDALDataType type, int bands, GSpacing pixel_space,
                      GSpacing line_space, GSpacing band_space);

  private:
    explicit MemoryImage(const char* driver);

    const ImageScope scope_;
    std::unique_ptr<GDALDataset> dataset_;
};

}  // namespace zarr_driver
