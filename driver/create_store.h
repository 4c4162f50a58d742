// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/dtype/data_type.h"
#include "driver/creation_options.h"
#include "driver/dataset.h"

namespace zarr_driver {

// A raster that is to be made.
struct NewRaster {
    std::uint64_t width = 0;
    std::uint64_t height = 0;
    std::uint64_t bands = 1;
    zarr::DataType dtype;
    std::vector<std::string> band_names;  // of the arrays where each band is one; may be empty
};

// Makes a store with the arrays of a raster, or adds them to one, and opens them for update. A
// place where something else than a store lies is refused. Metadata are complete from the start, so
// that the store opens at any moment; pixels that are not written are absent.
zarr::Result<std::unique_ptr<ZarrDataset>> MakeStore(const std::string& name, NewRaster raster,
                                                     const CreationOptions& options);

}  // namespace zarr_driver
