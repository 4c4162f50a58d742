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

// Finds the blocks of a band whose chunks are all absent from the store, without reading pixels.
// All pixels of an absent chunk equal the fill value. Absent blocks are unknown in two cases: if a
// listing of the chunks costs requests, or with the open options WRAP_LONGITUDE and NORTH_UP. Not
// thread-safe.
class AbsentBlocks {
  public:
    // `band` must outlive this object.
    explicit AbsentBlocks(ZarrRasterBand& band) : band_(band) {}

    // Result of GDAL's GetDataCoverageStatus() for a window.
    struct Coverage {
        int status;      // bits GDAL_DATA_COVERAGE_STATUS_...
        double percent;  // percentage of pixels with data; -1 if the search stopped early
    };
    // Returns how much of `window` has data. An absent block counts as empty if the fill value is
    // nodata or NaN, or is 0 in a band without a nodata value. The search stops at the first block
    // that sets a status bit of `stop_at`. Returns nullopt if the fill value is data, or if absent
    // blocks are unknown.
    std::optional<Coverage> CoverageOf(const PixelWindow& window, int stop_at);

    // True if AddPixels() saves much work: the array has many chunks, fewer than half of them are
    // stored, and listing them costs no requests. False for a band with a mask, for a complex type
    // and for a 64-bit integer type.
    bool SaveMostReads();
    // Adds all pixels of the band except nodata to `statistics`. Reads only the stored chunks.
    // SaveMostReads() must have returned true. `progress` may be nullptr. Returns kCancelled if
    // `progress` returns false.
    zarr::Status AddPixels(PixelStatistics& statistics, GDALProgressFunc progress,
                           void* progress_data);

  private:
    // Range of chunk indices along an axis; both ends are inclusive.
    struct ChunkRange {
        std::uint64_t first;
        std::uint64_t last;
    };
    bool CanListWithoutRequests();
    // Lists the stored chunks of the array, unless they are listed already. Returns false if a
    // listing would cost requests or fails.
    bool EnsureListed();
    bool IsAbsent(int block_x, int block_y) const;
    ChunkRange ChunksOf(const std::optional<std::size_t>& axis, int offset, int size) const;
    // Returns the fill value as a number. Returns NaN if the data type has no real numbers.
    double FillNumber() const;
    bool IsNodata(double value);

    ZarrRasterBand& band_;
};

}  // namespace zarr_driver
