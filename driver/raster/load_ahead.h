// SPDX-License-Identifier: MIT
// Loads the chunks of a window that GDAL will read soon, before GDAL asks for the pixels.
#pragma once

#include <gdal_priv.h>

#include "driver/raster/band.h"

namespace zarr_driver {

// Size of the buffer that a caller wants to fill with pixels, in pixels.
struct BufferSize {
    int x;
    int y;
};

// Returns the index of the overview from which GDAL reads `window` into a smaller buffer. Returns
// -1 if GDAL reads from the band itself. Converts `window` to pixels of the overview. `extra` may
// be nullptr.
int LevelFor(ZarrRasterBand& band, PixelWindow& window, const BufferSize& buffer,
             const GDALRasterIOExtraArg* extra);

// Starts to load the chunks of a window, from the band or from the overview that GDAL will choose.
// See zarr::ReadAhead. Does nothing if READ_AHEAD=NO. Ignores errors, because reading the window
// will report the error.
void LoadForWindow(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

// Loads all chunks from which GDAL will resample a window, in parallel; GDAL itself asks for one
// block after another. Does nothing in update mode, or if GDAL reads from an overview, skips blocks
// or has cached all blocks. Ignores errors, because reading a block will report the error.
void LoadBlocksFor(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

}  // namespace zarr_driver
