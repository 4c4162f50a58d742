// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <cstdint>

#include "core/base/status.h"

namespace zarr_driver {

// Form in which CRS and geotransform are written. kEveryReader is CF, with additions by which
// xarray, rioxarray and every version of GDAL's built-in driver find the CRS and geotransform.
enum class Georeferenced : std::uint8_t { kEveryReader, kGdal, kSpatialProj, kCf };

// Parses the creation option GEOREFERENCING_CONVENTION. Returns `fallback` if the option is not
// given.
zarr::Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback);

}  // namespace zarr_driver
