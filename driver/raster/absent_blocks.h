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

// The blocks of a band that the store has no chunks of, so that all of their pixels are the fill
// value: what can be said of them without reading. Nothing where listing the array's chunks costs
// requests, or where blocks are no chunks (WRAP_LONGITUDE, NORTH_UP). Looks at the band when it is
// asked; not thread-safe, as the band is not.
class AbsentBlocks {
  public:
    // The band outlives it.
    explicit AbsentBlocks(ZarrRasterBand& band) : band_(band) {}

    // As GDAL's GetDataCoverageStatus() has them.
    struct Coverage {
        int status;      // GDAL_DATA_COVERAGE_STATUS_...
        double percent;  // of pixels with data; -1 where it was stopped before
    };
    // How much of a window has data, where pixels of absent chunks are nodata, or zeros of a band
    // without a nodata value; looks until one of the states in `stop_at` is met. nullopt where it
    // cannot be said.
    std::optional<Coverage> CoverageOf(const PixelWindow& window, int stop_at);

    // True where most of the array's chunks are absent, and what GDAL would compute of the band
    // depends on nothing but its numbers.
    bool AreMost();
    // Adds all pixels of the band but nodata, and reads only the chunks that there are; to be
    // called after AreMost(). `progress` may be nullptr; where it says so, kCancelled.
    zarr::Status AddPixels(PixelStatistics& statistics, GDALProgressFunc progress,
                           void* progress_data);

  private:
    // The chunks along an axis that pixels lie in.
    struct ChunkRange {
        std::uint64_t first;
        std::uint64_t last;
    };
    bool MayList();
    // Lists the chunks where they are not listed yet. False where MayList() is, or that fails.
    bool AreKnown();
    bool IsAbsent(int block_x, int block_y) const;
    ChunkRange ChunksOf(const std::optional<std::size_t>& axis, int offset, int size) const;
    // What pixels of absent chunks are; NaN of types that are no real numbers.
    double FillNumber() const;
    bool IsNodata(double value);

    ZarrRasterBand& band_;
};

}  // namespace zarr_driver
