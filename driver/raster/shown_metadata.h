// SPDX-License-Identifier: MIT
// Metadata items that a dataset shows but that are not stored as attributes, because the arrays
// state them in other ways.
#pragma once

#include <cpl_string.h>

#include <string>

#include "driver/raster/band_array.h"

namespace zarr_driver {

// Adds the attributes of an array as metadata items. Leaves out lists of names that describe the
// bands.
void AddArrayAttributes(const BandArray& array, CPLStringList& list);

// Adds metadata items that the dataset of `arrays` shows besides its attributes. AREA_OR_POINT
// comes from the attribute `spatial:registration`. NAME#ATTRIBUTE, such as time#calendar, is an
// attribute of the coordinates along the bands, as in GDAL's netCDF driver. Units are metadata of
// bands, so they are not repeated here.
void AddShownMetadata(const BandArrays& arrays, CPLStringList& list);

// True if the metadata item `name` is one that AddShownMetadata() adds for coordinates. Such an
// item is not stored.
bool IsOfCoordinates(const BandArrays& arrays, const std::string& name);

// Returns the compression that all arrays have. Empty if arrays differ or one is not compressed.
std::string CommonCompression(const BandArrays& arrays);

}  // namespace zarr_driver
