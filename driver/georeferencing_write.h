// SPDX-License-Identifier: MIT
#pragma once

#include <ogr_spatialref.h>

#include <optional>
#include <string>
#include <vector>

#include "core/conventions/affine.h"
#include "driver/creation_options.h"
#include "driver/raster_layout.h"
#include "driver/store_update.h"

namespace zarr_driver {

// Where a raster is said to lie; either may be unknown.
struct Placement {
    const OGRSpatialReference* srs = nullptr;
    std::optional<zarr::GeoTransform> transform;
};

// Says in the attributes of an array, and in coordinate and grid mapping arrays beside it, where
// its raster lies: as GDAL's `_CRS`, by CF, or by the conventions `proj:` and `spatial:`. What was
// said before is replaced.
zarr::Status WriteGeoreferencing(StoreUpdate& update, const RasterLayout& layout,
                                 const Placement& placement, Georeferenced convention,
                                 zarr::json::Object& attributes);

// Writes the strings that lie along a dimension as its coordinate array.
zarr::Status WriteTextCoordinates(StoreUpdate& update, const RasterLayout& layout, std::size_t axis,
                                  const std::vector<std::string>& texts);

// Sets, or with a null value removes, a member of an object.
void SetMember(zarr::json::Object& object, std::string_view name, zarr::json::Value value);

}  // namespace zarr_driver
