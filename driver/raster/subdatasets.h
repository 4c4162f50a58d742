// SPDX-License-Identifier: MIT
// Lists the subdatasets of a dataset. Warns about arrays that cannot be read, and about nodes that
// the consolidated metadata lacks.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog/catalog.h"
#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/open_node.h"

namespace zarr_driver {

// Returns the arrays in a group that form the bands of one dataset, because their grid, CRS and
// geotransform are equal. Empty if there are fewer than two.
std::vector<const zarr::CatalogArray*> BandsOf(const zarr::CatalogGroup& group,
                                               const OpenNode& open_node,
                                               const OpenOptions& options);

// Adds a subdataset to `dataset` for each group with bands, then for each array. If `dataset` has
// bands from several arrays, its own group comes first.
void ListSubdatasets(const std::vector<zarr::CatalogGroup>& groups, const OpenNode& open_node,
                     const OpenOptions& options, ZarrDataset& dataset);

// Adds a subdataset for each two-dimensional slice of an array, for the open option MULTIBAND=NO.
void ListSlices(const RasterLayout& layout, const OpenNode& open_node, ZarrDataset& dataset);

// Emits one warning that names all arrays that cannot be read.
void WarnOfBadArrays(const std::vector<zarr::CatalogGroup>& groups, const std::string& store_path);

// Emits one warning that names all masks that no array names.
void WarnOfUnusedMasks(const std::vector<zarr::CatalogGroup>& groups,
                       const std::string& store_path);

// Emits one warning that lists `nodes`, which the consolidated metadata lacks. Emits nothing if
// `nodes` is empty.
void WarnOfUnconsolidated(const std::vector<zarr::Node>& nodes, const std::string& store_path);

}  // namespace zarr_driver
