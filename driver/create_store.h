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
#include "driver/creation_options.h"
#include "driver/dataset.h"
#include "driver/store_removal.h"

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

// A store with new arrays in it, open for update.
struct NewStore {
    StoreReplacement replacement;  // to be committed once the pixels are there
    std::unique_ptr<ZarrDataset> dataset;
};

// Makes a store with the arrays of a raster, or adds them to one, and opens them for update. A
// place where something else than a store lies is refused, and so is, before anything is touched,
// what cannot be made. Metadata are complete from the start, so that the store opens at any moment;
// pixels that are not written are absent.
zarr::Result<NewStore> MakeStore(const std::string& name, const NewRaster& raster,
                                 const CreationOptions& options);

}  // namespace zarr_driver
