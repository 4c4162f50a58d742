// SPDX-License-Identifier: MIT
// Dimensions of a cube, rebuilt from the metadata of bands: time, level, member and others.
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

#include "driver/create/band_dimension.h"

namespace zarr_driver {

// Returns the dimensions of the cube whose slices are the bands of `source`, slowest first. Reads
// the metadata by which this driver (DIM_...), GDAL's netCDF driver (NETCDF_DIM_...) and GDAL's
// GRIB driver (GRIB_VALID_TIME ...) describe bands. Bands of GRIB must be of one element.
//
// Returns an empty list, and logs one debug message if the bands state dimensions, unless the bands
// are all combinations of the coordinates in row-major order.
std::vector<BandDimension> FindCubeDimensions(GDALDataset& source);

// True if `item` is a metadata item of bands or of a dataset that states a dimension which
// `dimensions` contain. The item has the form NAME=VALUE.
bool IsOfCubeDimension(const std::string& item, const std::vector<BandDimension>& dimensions);

}  // namespace zarr_driver
