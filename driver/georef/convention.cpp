// SPDX-License-Identifier: MIT
#include "driver/georef/convention.h"

#include <cpl_string.h>

#include "driver/base/option_values.h"

namespace zarr_driver {

zarr::Result<Georeferenced> ParseConvention(CSLConstList options, Georeferenced fallback) {
    const char* convention = CSLFetchNameValue(options, "GEOREFERENCING_CONVENTION");
    if (convention == nullptr) return fallback;
    if (EQUAL(convention, "GDAL")) return Georeferenced::kGdal;
    if (EQUAL(convention, "SPATIAL_PROJ")) return Georeferenced::kSpatialProj;
    if (EQUAL(convention, "CF")) return Georeferenced::kCf;
    if (EQUAL(convention, "ALL")) return Georeferenced::kAll;
    return RefuseOption("GEOREFERENCING_CONVENTION", "GDAL, SPATIAL_PROJ, CF or ALL", convention);
}

}  // namespace zarr_driver
