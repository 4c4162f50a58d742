// SPDX-License-Identifier: MIT
// Selection of arrays on one grid that have one location, to form the bands of a raster.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/base/open_options.h"

namespace zarr_driver {

// Returns the largest subset of `grid` whose arrays have equal CRS, geotransform, geolocation
// arrays and control points. The arrays of `grid` have equal shapes and dimensions. Among subsets
// of equal size, the subset with the first array is returned. The order is kept.
// Arrays with equal statements (CatalogArray::placing) are taken as equal; one array of each kind
// is read by ReadGeoreferencing(). `store_path` is the path for subdataset names.
std::vector<const zarr::CatalogArray*> ArraysInOneLocation(
    const zarr::Hierarchy& hierarchy, const std::vector<const zarr::CatalogArray*>& grid,
    const std::string& store_path, const OpenOptions& options);

}  // namespace zarr_driver
