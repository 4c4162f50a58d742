// SPDX-License-Identifier: MIT
// Loads the chunks of a window that GDAL is about to read, before GDAL asks for the pixels.
#pragma once

#include <gdal_priv.h>

#include "driver/raster/band.h"

namespace zarr_driver {

// Size of a caller's buffer, in pixels.
struct BufferSize {
    int x;
    int y;
};

// Returns the overview from which GDAL reads `window` into a smaller buffer; -1 if GDAL reads from
// the band itself. Changes `window` to pixels of the overview. `extra` may be nullptr.
int LevelFor(ZarrRasterBand& band, PixelWindow& window, const BufferSize& buffer,
             const GDALRasterIOExtraArg* extra);

// Starts to load the chunks of a window inside of the band, or of the overview that GDAL will
// choose; see zarr::ReadAhead. Does nothing with READ_AHEAD=NO. Errors are ignored here: reading
// the window reports them.
void LoadForWindow(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

// Loads together all chunks from which GDAL resamples a window, because GDAL asks for one block
// after the other. Does nothing if GDAL reads from an overview, skips blocks or has cached all
// blocks, and in update mode. Errors are ignored here: reading a block reports them.
void LoadBlocksFor(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

}  // namespace zarr_driver
