// SPDX-License-Identifier: MIT
// The part of ZarrRasterBand that makes reading at another resolution fast: GDAL resamples from
// blocks, which it asks for one after the other.
#include <algorithm>
#include <new>

#include "driver/band.h"

namespace zarr_driver {

namespace {

struct BlockRange {
    int first;
    int last;
};

// The blocks of `block` pixels along one dimension that a window lies in.
BlockRange BlocksOf(int offset, int size, int block) {
    return {offset / block, (offset + size - 1) / block};
}

}  // namespace

bool ZarrRasterBand::HasBlock(int block_x, int block_y) {
    GDALRasterBlock* const block = TryGetLockedBlockRef(block_x, block_y);
    if (block == nullptr) return false;
    block->DropLock();
    return true;
}

bool ZarrRasterBand::ReadsBlocksOf(const Window& window, int buffer_x, int buffer_y,
                                   const GDALRasterIOExtraArg* extra) {
    // Where far fewer pixels are wanted than there are, GDAL leaves blocks out.
    if (window.x_size / std::max(buffer_x, 1) >= nBlockXSize ||
        window.y_size / std::max(buffer_y, 1) >= nBlockYSize)
        return false;
    if (GetOverviewCount() == 0) return true;
    Window at = window;  // these are changed
    GDALRasterIOExtraArg arguments;
    INIT_RASTERIO_EXTRA_ARG(arguments);
    if (extra != nullptr) arguments = *extra;
    return GDALBandGetBestOverviewLevel2(this, at.x_off, at.y_off, at.x_size, at.y_size, buffer_x,
                                         buffer_y, &arguments) < 0;
}

void ZarrRasterBand::Preload(const Window& window) {
    const BlockRange columns = BlocksOf(window.x_off, window.x_size, nBlockXSize);
    const BlockRange rows = BlocksOf(window.y_off, window.y_size, nBlockYSize);
    if (columns.first == columns.last && rows.first == rows.last) return;
    const Selection selection = Select(window, 0, 0, 0);
    const zarr::Array& array = *array_.layout.array;
    // What would push out what it has just loaded is not worth it.
    if (array.DecodedBytes(selection.region) > array.context().cache().max_bytes() / 2) return;
    Window missing{};  // around the blocks that GDAL does not hold
    int right = 0;
    int bottom = 0;
    missing.x_off = window.x_off + window.x_size;
    missing.y_off = window.y_off + window.y_size;
    for (int y = rows.first; y <= rows.last; ++y) {
        for (int x = columns.first; x <= columns.last; ++x) {
            if (HasBlock(x, y)) continue;
            const Window block = BlockWindow(x, y);
            missing.x_off = std::min(missing.x_off, block.x_off);
            missing.y_off = std::min(missing.y_off, block.y_off);
            right = std::max(right, block.x_off + block.x_size);
            bottom = std::max(bottom, block.y_off + block.y_size);
        }
    }
    if (right == 0) return;
    missing.x_size = right - missing.x_off;
    missing.y_size = bottom - missing.y_off;
    try {
        // What fails here fails again, and is told, where the block is read.
        static_cast<void>(
            array.Preload(Select(missing, 0, 0, 0).region, dataset()->options().threads));
    } catch (const std::bad_alloc&) {
        // As above.
    }
}

}  // namespace zarr_driver
