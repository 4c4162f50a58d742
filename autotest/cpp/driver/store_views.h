// SPDX-License-Identifier: MIT
// Describes all that GDAL shows of a store as a text with one line per fact.
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

namespace zarr_driver::test {

struct CloseDataset {
    void operator()(GDALDataset* dataset) const { GDALClose(GDALDataset::ToHandle(dataset)); }
};
using Dataset = std::unique_ptr<GDALDataset, CloseDataset>;

// Opens a store with this driver only. If opening fails, GDAL reports the error and the result is
// nullptr.
Dataset OpenRaster(const std::string& name, bool for_update = false);
Dataset OpenMultidim(const std::string& name, bool for_update = false);

// Describes a raster: georeference, metadata, pixels of each block, overviews and subdatasets.
// Parts that cannot be read are shown as "failed".
std::string RasterText(const std::string& name);
// Describes the root group of the multidimensional API with everything below it.
std::string MultidimText(const std::string& name);

}  // namespace zarr_driver::test
