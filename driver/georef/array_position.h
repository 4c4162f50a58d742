// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/status.h"
#include "driver/georef/editable_array.h"
#include "driver/georef/georeferencing_form.h"
#include "driver/georef/georeferencing_write.h"

namespace zarr_driver {

enum class PositionParts : std::uint8_t {
    kAll,  // CRS and geotransform
    kCrs,  // only the CRS; what states a geotransform stays
};

// Writes the position of a raster whose arrays are `arrays`, and which are not empty: coordinate
// arrays and grid mapping by `stored`, and changed attributes of `arrays`, which stay pending. All
// of it has the form `form`. With PositionParts::kCrs, an old grid mapping stays for its other
// contents if an attribute states the new CRS.
zarr::Result<GeoreferencingArrays> WritePosition(const std::vector<EditableArray*>& arrays,
                                                 const CoordinateArrays& stored,
                                                 const RasterPosition& position,
                                                 GeoreferencingForm form, PositionParts parts);

}  // namespace zarr_driver
