// SPDX-License-Identifier: MIT
// Finds the arrays on one grid that lie in one place, so that they can be the bands of a raster.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/base/open_options.h"

namespace zarr_driver {

// The most arrays of `grid`, which have the same shape and dimensions, that have the same CRS,
// geotransform, geolocation arrays and control points; of two sets of the same number the one with
// the first array. Keeps the order. Arrays with the same statements are not looked at further; of
// others one of each kind is read as ReadGeoreferencing() does. `store_path` is that of subdataset
// names.
std::vector<const zarr::CatalogArray*> ArraysInOnePlace(
    const zarr::Hierarchy& hierarchy, const std::vector<const zarr::CatalogArray*>& grid,
    const std::string& store_path, const OpenOptions& options);

}  // namespace zarr_driver
