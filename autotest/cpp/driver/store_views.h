// SPDX-License-Identifier: MIT
// Texts that describe all that GDAL shows of a store, one line for each fact.
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>

namespace zarr_driver::test {

struct CloseDataset {
    void operator()(GDALDataset* dataset) const { GDALClose(GDALDataset::ToHandle(dataset)); }
};
using Dataset = std::unique_ptr<GDALDataset, CloseDataset>;

// Opens a store with this driver only. Returns nullptr if that fails; GDAL reports the error.
Dataset OpenRaster(const std::string& name, bool for_update = false);
Dataset OpenMultidim(const std::string& name, bool for_update = false);

// Returns a text of a raster: georeference, metadata, pixels of each block, overviews and
// subdatasets. Parts that cannot be read are shown as "failed".
std::string RasterText(const std::string& name);
// Returns a text of the root group in the multidimensional API, with everything below it.
std::string MultidimText(const std::string& name);

}  // namespace zarr_driver::test
