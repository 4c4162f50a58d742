// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/open_node.h"

namespace zarr_driver {

// Opens `open_node` as a dataset of the raster API. An array, or a slice of an array, gets the
// smaller levels of its pyramid as overviews. A group gives bands, overviews and subdatasets.
// `name` is the name that the user opened, and `indices` select the slice. Emits warnings; returns
// errors.
zarr::Result<std::unique_ptr<ZarrDataset>> OpenRaster(const std::string& name,
                                                      const OpenNode& open_node,
                                                      const std::vector<std::uint64_t>& indices,
                                                      const OpenOptions& options);

}  // namespace zarr_driver
