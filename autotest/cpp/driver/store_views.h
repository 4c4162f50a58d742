// SPDX-License-Identifier: MIT
// What GDAL shows of a store, as text to compare: a line for each thing.
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

namespace zarr_driver::test {

struct CloseDataset {
    void operator()(GDALDataset* dataset) const { GDALClose(GDALDataset::ToHandle(dataset)); }
};
using Dataset = std::unique_ptr<GDALDataset, CloseDataset>;

// Opens with this driver and no other; null where that fails, which GDAL reports.
Dataset OpenRaster(const std::string& name, bool for_update = false);
Dataset OpenMultidim(const std::string& name, bool for_update = false);

// Everything of a raster: its place, metadata, bands with the pixels of each block, overviews and
// subdatasets. What cannot be read shows as "failed".
std::string RasterText(const std::string& name);
// The same of a group of the multidimensional API, and all below.
std::string MultidimText(const std::string& name);

}  // namespace zarr_driver::test
