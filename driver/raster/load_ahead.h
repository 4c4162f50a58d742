// SPDX-License-Identifier: MIT
// What a window that GDAL is about to read needs of the store, loaded while GDAL gets to it.
#pragma once

#include <gdal_priv.h>

#include "driver/raster/band.h"

namespace zarr_driver {

// Pixels along each axis.
struct BufferSize {
    int x;
    int y;
};

// The overview of a band that GDAL reads a window for a smaller buffer from, -1 for the band
// itself; the window becomes that of the overview. `extra` may be nullptr.
int LevelFor(ZarrRasterBand& band, PixelWindow& window, const BufferSize& buffer,
             const GDALRasterIOExtraArg* extra);

// Begins to load what a window inside of a band needs, of the overview that GDAL will take; see
// zarr::ReadAhead. Not with READ_AHEAD=NO. What fails fails again, and is told, where it is read.
void LoadForWindow(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

// Loads the chunks behind the blocks of a band that GDAL resamples a window from, all at a time, as
// it asks for one block after the other. Does nothing where GDAL takes an overview, leaves blocks
// out, or has them all; nor where the dataset is open for update. What fails fails again, and is
// told, where the block is read.
void LoadBlocksFor(ZarrRasterBand& band, const PixelWindow& window, const BufferSize& buffer,
                   const GDALRasterIOExtraArg* extra);

}  // namespace zarr_driver
