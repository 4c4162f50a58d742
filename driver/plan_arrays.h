// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/affine.h"
#include "core/dtype/data_type.h"
#include "core/json/value.h"
#include "core/store/store.h"
#include "driver/creation_options.h"

namespace zarr_driver {

// A raster that is to be made.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    // True where its pixels will be written chunk by chunk, false where nobody knows in which
    // order.
    bool is_copied = false;
    zarr::DataType dtype;
    std::vector<std::string> band_names;  // of the arrays where each band is one; may be empty
    // Where it will lie, if that is known: coordinates that say the same are shared.
    std::optional<zarr::GeoTransform> transform;
};

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
