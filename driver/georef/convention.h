// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_port.h>

#include <cstdint>

#include "core/base/status.h"

namespace zarr_driver {

// How CRS and geotransform are written. kEveryReader is CF's way, with what xarray, rioxarray and
// GDAL's built-in driver of any version need to find it.
enum class Georeferenced : std::uint8_t { kEveryReader, kGdal, kSpatialProj, kCf };

// The creation option GEOREFERENCING_CONVENTION, or `fallback` if it is not given.
zarr::Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback);

}  // namespace zarr_driver
