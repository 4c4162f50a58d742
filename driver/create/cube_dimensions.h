// SPDX-License-Identifier: MIT
// Dimensions of a cube, rebuilt from the metadata of bands: time, level, member and others.
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

#include "driver/create/band_dimension.h"

namespace zarr_driver {

// Returns the dimensions of the cube whose slices are the bands of `source`, slowest first. Reads
// the metadata items of this driver (DIM_...), of GDAL's netCDF driver (NETCDF_DIM_...) and of
// GDAL's GRIB driver (GRIB_VALID_TIME ...). Bands of GRIB must all have the same element, such as
// temperature.
//
// Returns an empty list if the bands state no dimensions, or only one with a generated name such as
// "band". Also returns an empty list if the bands are not all combinations of the coordinates in
// row-major order; the reason is logged as a debug message.
std::vector<BandDimension> FindCubeDimensions(GDALDataset& source);

// True if `item` is a metadata item, of bands or of a dataset, that describes one of `dimensions`.
// The item has the form NAME=VALUE.
bool IsOfCubeDimension(const std::string& item, const std::vector<BandDimension>& dimensions);

}  // namespace zarr_driver
