// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "core/base/status.h"
#include "driver/base/option_table.h"

namespace zarr_driver {

// Form in which CRS and geotransform are written. kEveryReader is CF with additions for xarray,
// rioxarray and all versions of GDAL's built-in driver. kAll adds the attributes of kSpatialProj,
// so that a reader needs no coordinate arrays.
enum class GeoreferencingForm : std::uint8_t { kEveryReader, kGdal, kSpatialProj, kCf, kAll };

// True if CRS and coordinates are written as the CF conventions define.
inline bool WritesCf(GeoreferencingForm form) {
    return form == GeoreferencingForm::kCf || form == GeoreferencingForm::kEveryReader ||
           form == GeoreferencingForm::kAll;
}

// True if CF is written with the additions that xarray, rioxarray and GDAL's built-in driver need.
inline bool SuitsEveryReader(GeoreferencingForm form) {
    return form == GeoreferencingForm::kEveryReader || form == GeoreferencingForm::kAll;
}

// True if the attributes `proj:` and `spatial:` are written.
inline bool WritesSpatialProj(GeoreferencingForm form) {
    return form == GeoreferencingForm::kSpatialProj || form == GeoreferencingForm::kAll;
}

// The creation option GEOREFERENCING_CONVENTION of rasters and arrays.
extern const OptionRow<GeoreferencingForm> kConventionRows[1];

}  // namespace zarr_driver
