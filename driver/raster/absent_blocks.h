// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <cstdint>
#include <optional>

#include "core/base/status.h"
#include "driver/raster/pixel_statistics.h"
#include "driver/raster/pixel_windows.h"

namespace zarr_driver {

class ZarrRasterBand;

// Finds blocks of a band whose chunks are all absent from the store, so that all pixels equal the
// fill value.
//
// Absent blocks are unknown if listing the chunks costs requests, or with the open options
// WRAP_LONGITUDE and NORTH_UP. Not thread-safe.
class AbsentBlocks {
  public:
    // `band` must outlive this object.
    explicit AbsentBlocks(ZarrRasterBand& band) : band_(band) {}

    // Result of GDAL's GetDataCoverageStatus() for a window of pixels.
    struct Coverage {
        int status;      // bits GDAL_DATA_COVERAGE_STATUS_...
        double percent;  // percentage of pixels with data; -1 if `stop_at` ended the search
    };
    // Returns how much of `window` has data; nullopt if the fill value is data, or absent blocks
    // are unknown. Stops at the first block that sets a status bit in `stop_at`.
    //
    // Absent blocks are empty if the fill value is nodata, NaN, or 0 without a nodata value.
    std::optional<Coverage> CoverageOf(const PixelWindow& window, int stop_at);

    // True if AddPixels() saves much work: the array has many chunks, fewer than half are stored,
    // and listing costs no requests. False for masked bands, complex types and 64-bit integers.
    bool SaveMostReads();
    // Adds all pixels of the band except nodata to `statistics`, but reads only stored chunks.
    // SaveMostReads() must have returned true. Returns kCancelled if `progress`, which may be
    // nullptr, returns false.
    zarr::Status AddPixels(PixelStatistics& statistics, GDALProgressFunc progress,
                           void* progress_data);

  private:
    // Range of chunk indices along an axis; includes both ends.
    struct ChunkRange {
        std::uint64_t first;
        std::uint64_t last;
    };
    bool CanListWithoutRequests();
    // Lists the array's stored chunks on the first call. Returns false if a listing fails or would
    // cost requests.
    bool EnsureListed();
    bool IsAbsent(int block_x, int block_y) const;
    ChunkRange ChunksOf(const std::optional<std::size_t>& axis, int offset, int size) const;
    // Returns the fill value as a number; NaN for a data type without real numbers.
    double FillNumber() const;
    bool IsNodata(double value);

    ZarrRasterBand& band_;
};

}  // namespace zarr_driver
