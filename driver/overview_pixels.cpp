// SPDX-License-Identifier: MIT
#include "driver/overview_pixels.h"

#include "driver/scaled_progress.h"
#include "driver/watched_progress.h"

namespace zarr_driver {

namespace {

CPLErr FillBand(const OverviewPixels& pixels, int band, const ScaledProgress& progress) {
    std::vector<GDALRasterBandH> overviews;
    for (GDALDataset* level : pixels.levels)
        overviews.push_back(GDALRasterBand::ToHandle(level->GetRasterBand(band)));
    return GDALRegenerateOverviewsEx(GDALRasterBand::ToHandle(pixels.base.GetRasterBand(band)),
                                     static_cast<int>(overviews.size()), overviews.data(),
                                     pixels.resampling.c_str(), ScaledProgress::Report,
                                     progress.data(), pixels.options);
}

// Bands that share chunks: each chunk is written once.
CPLErr FillTogether(const OverviewPixels& pixels, const std::vector<int>& bands,
                    const ScaledProgress& progress) {
    // GDAL takes each level from the one before, but of one band the nearest pixel from the raster.
    const bool is_nearest = STARTS_WITH_CI(pixels.resampling.c_str(), "NEAR");
    if (is_nearest && pixels.levels.size() > 1) {
        const auto count = static_cast<double>(pixels.levels.size());
        for (std::size_t i = 0; i < pixels.levels.size(); ++i) {
            const auto done = static_cast<double>(i);
            const ScaledProgress part(done / count, (done + 1) / count, ScaledProgress::Report,
                                      progress.data());
            OverviewPixels one = pixels;
            one.levels = {pixels.levels[i]};
            const CPLErr error = FillTogether(one, bands, part);
            if (error != CE_None) return error;
        }
        return CE_None;
    }
    std::vector<GDALRasterBand*> sources;
    std::vector<std::vector<GDALRasterBand*>> overviews;  // of each band, of each level
    for (const int band : bands) {
        sources.push_back(pixels.base.GetRasterBand(band));
        overviews.emplace_back();
        for (GDALDataset* level : pixels.levels)
            overviews.back().push_back(level->GetRasterBand(band));
    }
    std::vector<GDALRasterBand* const*> pointers;
    pointers.reserve(overviews.size());
    for (const auto& of_band : overviews) pointers.push_back(of_band.data());
    return GDALRegenerateOverviewsMultiBand(static_cast<int>(sources.size()), sources.data(),
                                            static_cast<int>(pixels.levels.size()), pointers.data(),
                                            pixels.resampling.c_str(), ScaledProgress::Report,
                                            progress.data(), pixels.options);
}

}  // namespace

CPLErr FillOverviews(const OverviewPixels& pixels) {
    if (pixels.levels.empty()) return CE_None;
    std::size_t all = 0;
    for (const auto& run : pixels.runs) all += run.size();
    WatchedProgress watched(pixels.progress, pixels.progress_data);
    std::size_t done = 0;
    for (const auto& run : pixels.runs) {
        const ScaledProgress progress(
            static_cast<double>(done) / static_cast<double>(all),
            static_cast<double>(done + run.size()) / static_cast<double>(all),
            WatchedProgress::Report, &watched);
        const CPLErr error = run.size() == 1 ? FillBand(pixels, run[0], progress)
                                             : FillTogether(pixels, run, progress);
        if (error != CE_None || watched.IsCancelled()) return CE_Failure;
        done += run.size();
    }
    return CE_None;
}

}  // namespace zarr_driver
