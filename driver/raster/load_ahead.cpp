// SPDX-License-Identifier: MIT
#include "driver/raster/load_ahead.h"

#include <cstddef>

#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

int LevelFor(ZarrRasterBand& band, ZarrRasterBand::Window& window, const BufferSize& buffer,
             const GDALRasterIOExtraArg* extra) {
    if (band.GetOverviewCount() == 0) return -1;
    GDALRasterIOExtraArg arguments;
    INIT_RASTERIO_EXTRA_ARG(arguments);
    if (extra != nullptr) arguments = *extra;
    return GDALBandGetBestOverviewLevel2(&band, window.x_off, window.y_off, window.x_size,
                                         window.y_size, buffer.x, buffer.y, &arguments);
}

void LoadForWindow(ZarrRasterBand& band, const ZarrRasterBand::Window& window,
                   const BufferSize& buffer, const GDALRasterIOExtraArg* extra) {
    const OpenOptions& options = band.dataset()->options();
    // Where the window is another one of the array, it is not worth finding out which.
    if (!options.read_ahead || options.wrap_longitude || options.north_up) return;
    ZarrRasterBand::Window at = window;
    const bool is_smaller = buffer.x < window.x_size || buffer.y < window.y_size;
    const int level = is_smaller ? LevelFor(band, at, buffer, extra) : -1;
    if (level < 0) {
        static_cast<void>(band.LoadAhead(window));
        return;
    }
    const auto& levels = band.dataset()->levels();
    if (static_cast<std::size_t>(level) < levels.size())
        static_cast<void>(
            levels[static_cast<std::size_t>(level)]->Band(band.GetBand())->LoadAhead(at));
}

}  // namespace zarr_driver
