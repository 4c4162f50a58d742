// SPDX-License-Identifier: MIT
// The subdatasets that a dataset lists, and warnings about nodes that it cannot list.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/location.h"

namespace zarr_driver {

// Returns the arrays of a group that are the bands of its dataset: two or more with the same grid,
// CRS and geotransform; empty if there are none.
std::vector<const zarr::CatalogArray*> BandsOf(const zarr::CatalogGroup& group,
                                               const Location& location,
                                               const OpenOptions& options);

// Lists groups with bands, then arrays. The opened group comes first if the bands of `dataset` are
// several arrays.
void ListSubdatasets(const std::vector<zarr::CatalogGroup>& groups, const Location& location,
                     const OpenOptions& options, ZarrDataset& dataset);

// Lists a subdataset for each slice of an array, for MULTIBAND=NO.
void ListSlices(const RasterLayout& layout, const Location& location, ZarrDataset& dataset);

// Emits one warning for all arrays that cannot be read.
void WarnOfBadArrays(const std::vector<zarr::CatalogGroup>& groups, const std::string& store_path);

// Emits one warning for the nodes from Hierarchy::Unconsolidated(), if there are any.
void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path);

}  // namespace zarr_driver
