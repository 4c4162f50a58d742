// SPDX-License-Identifier: MIT
// Which arrays of a location become the bands and overviews of a dataset, and which are listed.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "driver/base/open_options.h"
#include "driver/raster/dataset.h"
#include "driver/store/location.h"

namespace zarr_driver {

// Opens the node at a location as a dataset of the classic API: an array, or slices of it, with the
// smaller levels of its pyramid as overviews; a group by what is in it. `name` is what the user
// opened, `indices` those of a slice. Emits warnings; errors are for the caller to emit.
zarr::Result<std::unique_ptr<ZarrDataset>> OpenRaster(const std::string& name,
                                                      const Location& location,
                                                      const std::vector<std::uint64_t>& indices,
                                                      const OpenOptions& options);

}  // namespace zarr_driver
