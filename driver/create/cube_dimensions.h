// SPDX-License-Identifier: MIT
// Finds the dimensions of a cube (time, level, member and others) in the metadata of bands.
#pragma once

#include <gdal_priv.h>

#include <string>
#include <vector>

#include "driver/create/band_dimension.h"

namespace zarr_driver {

// Returns the dimensions of the cube whose slices are the bands of `source`, slowest first. Reads
// metadata items of this driver (DIM_...), GDAL's netCDF driver (NETCDF_DIM_...) and GDAL's GRIB
// driver (GRIB_VALID_TIME ...).
//
// Returns an empty list if the bands state no dimensions, or only one without coordinates and with
// a generated name such as "band". Also returns an empty list if GRIB bands have several elements,
// such as temperature and wind.
//
// If the bands are not all combinations of the coordinates in row-major order, returns an empty
// list and logs the reason as a debug message.
std::vector<BandDimension> FindCubeDimensions(GDALDataset& source);

// True if `item`, NAME=VALUE, is metadata of a band or dataset that describes one of `dimensions`.
bool IsOfCubeDimension(const std::string& item, const std::vector<BandDimension>& dimensions);

}  // namespace zarr_driver
