// SPDX-License-Identifier: MIT
#include "driver/raster/load_ahead.h"

#include <algorithm>
#include <cstddef>

#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

namespace {

// True if the block is in GDAL's block cache.
bool IsBlockCached(ZarrRasterBand& band, int block_x, int block_y) {
    GDALRasterBlock* const block = band.TryGetLockedBlockRef(block_x, block_y);
    if (block == nullptr) return false;
    block->DropLock();
    return true;
}

// True if GDAL resamples `window` block by block from this band, without using an overview.
bool IsResampledFromBlocks(ZarrRasterBand& band, const PixelWindow& window,
                           const BufferSize& buffer, const GDALRasterIOExtraArg* extra) {
    // GDAL skips whole blocks if the reduction factor is at least the size of a block. The result
    // is false in this case.
    int block_x = 0;
    int block_y = 0;
    band.GetBlockSize(&block_x, &block_y);
    if (window.x_size / std::max(buffer.x, 1) >= block_x ||
        window.y_size / std::max(buffer.y, 1) >= block_y)
        return false;
    PixelWindow at = window;
    return LevelFor(band, at, buffer, extra) < 0;
}

// Returns the smallest window that contains all blocks of `window` that GDAL has not cached. The
// result is empty if GDAL has cached all blocks.
PixelWindow UncachedWindow(ZarrRasterBand& band, const PixelWindow& window) {
    const ZarrRasterBand::BlockRange blocks = band.BlocksOf(window);
    PixelWindow missing{};
    int right = 0;
    int bottom = 0;
    missing.x_off = window.x_off + window.x_size;
    missing.y_off = window.y_off + window.y_size;
    for (int y = blocks.top; y <= blocks.bottom; ++y) {
        for (int x = blocks.left; x <= blocks.right; ++x) {
            if (IsBlockCached(band, x, y)) continue;
            const PixelWindow block = band.BlockWindow(x, y);
            missing.x_off = std::min(missing.x_off, block.x_off);
            missing.y_off = std::min(missing.y_off, block.y_off);
            right = std::max(right, block.x_off + block.x_size);
            bottom = std::max(bottom, block.y_off + block.y_size);
        }
    }
    if (right == 0) return {};
    missing.x_size = right - missing.x_off;
    missing.y_size = bottom - missing.y_off;
    return missing;
}

}  // namespace

int LevelFor(ZarrRasterBand& band, PixelWindow& window, const BufferSize& buffer,
             const GDALRasterIOExtraArg* extra) {
    if (band.GetOverviewCount() == 0) return -1;
    GDALRasterIOExtraArg arguments;
    INIT_RASTERIO_EXTRA_ARG(arguments);
    if (extra != nullptr) arguments = *extra;
    return GDALBandGetBestOverviewLevel2(&band, window.x_off, window.y_off, window.x_size,
                                         window.y_size, buffer.x, buffer.y, &arguments);
}

void LoadForWindow(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra) {
    const OpenOptions& options = band.dataset()->options();
    // With NORTH_UP or WRAP_LONGITUDE, nothing is loaded, because the window would first have to be
    // converted to rows and columns of the array.
    if (!options.read_ahead || options.wrap_longitude || options.north_up) return;
    PixelWindow at = window;
    const bool is_smaller = buffer.x < window.x_size || buffer.y < window.y_size;
    const int level = is_smaller ? LevelFor(band, at, buffer, extra) : -1;
    if (level < 0) {
        static_cast<void>(band.pixels().LoadAhead(window));
        return;
    }
    if (const ZarrRasterBand* const overview = band.dataset()->LevelOf(band.GetBand(), level))
        static_cast<void>(overview->pixels().LoadAhead(at));
}

void LoadBlocksFor(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra) {
    const OpenOptions& options = band.dataset()->options();
    if (band.dataset()->update() != nullptr || options.wrap_longitude || options.north_up ||
        !IsResampledFromBlocks(band, window, buffer, extra))
        return;
    const ZarrRasterBand::BlockRange blocks = band.BlocksOf(window);
    if (blocks.left == blocks.right && blocks.top == blocks.bottom) return;
    if (band.pixels().IsTooLargeToPreload(window)) return;
    const PixelWindow missing = UncachedWindow(band, window);
    if (missing.x_size != 0) static_cast<void>(band.pixels().Preload(missing));
}

}  // namespace zarr_driver
