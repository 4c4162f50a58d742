// SPDX-License-Identifier: MIT
// What a dataset lists beside its bands.
#pragma once

#include <vector>

#include "core/conventions/catalog.h"
#include "driver/raster/dataset.h"
#include "driver/store/location.h"

namespace zarr_driver {

// Lists groups that make a dataset of bands, then arrays; the group that was opened not itself.
void ListSubdatasets(const std::vector<zarr::CatalogGroup>& groups, const Location& location,
                     const OpenOptions& options, ZarrDataset& dataset);

// MULTIBAND=NO: lists a subdataset for each slice of an array.
void ListSlices(const RasterLayout& layout, const Location& location, ZarrDataset& dataset);

// Gives one warning for all arrays that cannot be read.
void WarnOfBadArrays(const std::vector<zarr::CatalogGroup>& groups, const std::string& store_path);

// Gives one warning of what Hierarchy::Unconsolidated() has found; none where that is nothing.
void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path);

}  // namespace zarr_driver
