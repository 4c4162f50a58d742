// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

namespace zarr_driver {

// Which pixels are to be resampled from where to where.
struct OverviewPixels {
    GDALDataset& base;
    std::vector<GDALDataset*> levels;    // the same bands, smaller; the largest first
    std::vector<std::vector<int>> runs;  // numbers of bands, from 1, that are filled together
    std::string resampling;
    GDALProgressFunc progress = nullptr;
    void* progress_data = nullptr;
    CSLConstList options = nullptr;
};

// Fills the levels by GDAL's own resampling, which emits what fails; a cancellation it may not.
CPLErr FillOverviews(const OverviewPixels& pixels);

}  // namespace zarr_driver
