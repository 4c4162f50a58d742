// SPDX-License-Identifier: MIT
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
// smaller levels of its pyramid as overviews; a group as bands, overviews and subdatasets. `name`
// is what the user opened, `indices` are those of a slice. Emits warnings; returns errors.
zarr::Result<std::unique_ptr<ZarrDataset>> OpenRaster(const std::string& name,
                                                      const Location& location,
                                                      const std::vector<std::uint64_t>& indices,
                                                      const OpenOptions& options);

}  // namespace zarr_driver
