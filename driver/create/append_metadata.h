// SPDX-License-Identifier: MIT
// Descriptions and metadata items of slices that an append writes.
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

#include "driver/create/append.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// True if the attribute zarr::kColoursOfBands of an array states the colour of each slice. An
// append must then state the colours of the new slices, too.
bool HasColourOfEachSlice(const RasterLayout& layout);

// Gives the written bands of `target` the descriptions, metadata items and colours of the bands of
// `source`. `target` is the extended array in update mode, with the size and the coordinates in
// `plan`. An item of the source dataset becomes an item of each written band if the array has
// another value.
//
// If the array had one band, items that describe only this band are removed from the attributes.
// Returns the descriptions that are not stored, because they would become coordinates of the
// extended dimension, which has none.
std::vector<std::string> StoreAppendedMetadata(GDALDataset& source, ZarrDataset& target,
                                               const AppendPlan& plan);

}  // namespace zarr_driver
