// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/json/value.h"
#include "core/store/store.h"
#include "driver/create_store.h"

namespace zarr_driver {

// An array that is to be made.
struct PlannedArray {
    std::string path;
    zarr::json::Object document;    // `.zarray`
    zarr::json::Object attributes;  // with the names of its dimensions
};

// The arrays that will hold a raster: one, or one a band. Nothing is written. Fails where the
// options do not fit the raster, a codec cannot encode it, or, when appending, a name is taken.
zarr::Result<std::vector<PlannedArray>> PlanArrays(const std::shared_ptr<zarr::Store>& store,
                                                   const NewRaster& raster,
                                                   const CreationOptions& options);

}  // namespace zarr_driver
