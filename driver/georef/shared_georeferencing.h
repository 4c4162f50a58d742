// SPDX-License-Identifier: MIT
// Selects arrays of one grid that also have one location, so that they can be the bands of a
// raster.
#pragma once

#include <string>
#include <vector>

#include "core/conventions/catalog/catalog.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/base/open_options.h"

namespace zarr_driver {

// Returns the largest subset of `grid` whose arrays have equal CRS, geotransform, geolocation
// arrays and control points. All arrays of `grid` must have equal shapes and dimensions. If several
// subsets are largest, returns the subset with the first array. The order is kept.
//
// Arrays with equal CatalogArray::location_statements, the text of all statements about position,
// count as equal. The georeferencing of only one of these arrays is read. `store_path` is the path
// for subdataset names.
std::vector<const zarr::CatalogArray*> ArraysInOneLocation(
    const zarr::Hierarchy& hierarchy, const std::vector<const zarr::CatalogArray*>& grid,
    const std::string& store_path, const OpenOptions& options);

}  // namespace zarr_driver
