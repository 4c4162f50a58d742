// SPDX-License-Identifier: MIT
// Which arrays of a location become the bands and overviews of a dataset, and which are listed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/location.h"

namespace zarr_driver {

// Opens the node at a location as a dataset of the classic API: an array, or slices of it, with the
// smaller levels of its pyramid as overviews; a group by what is in it. `name` is what the user
// opened, `indices` those of a slice. Emits warnings; errors are for the caller to emit.
zarr::Result<std::unique_ptr<ZarrDataset>> OpenRaster(const std::string& name,
                                                      const Location& location,
                                                      const std::vector<std::uint64_t>& indices,
                                                      const OpenOptions& options);

// What a dataset lists beside its bands.

// Lists groups that make a dataset of bands, then arrays. The group that was opened comes first
// where the bands of `dataset` are several arrays.
void ListSubdatasets(const std::vector<zarr::CatalogGroup>& groups, const Location& location,
                     const OpenOptions& options, ZarrDataset& dataset);

// MULTIBAND=NO: lists a subdataset for each slice of an array.
void ListSlices(const RasterLayout& layout, const Location& location, ZarrDataset& dataset);

// Gives one warning for all arrays that cannot be read.
void WarnOfBadArrays(const std::vector<zarr::CatalogGroup>& groups, const std::string& store_path);

// Gives one warning of what Hierarchy::Unconsolidated() has found; none where that is nothing.
void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path);

}  // namespace zarr_driver
