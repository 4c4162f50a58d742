// SPDX-License-Identifier: MIT
// Bounds of coordinates (CF conventions, section 7.1) that an append continues.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/create/growing_coordinates.h"

namespace zarr_driver {

// Returns the bounds of the coordinates `added`, which are elements of the coordinate array. The
// result has two elements of the bounds array at `path` for each coordinate, in the host's byte
// order. Returns nullopt if the stored bounds follow none of these rules:
// - the bounds are whole months, and each coordinate lies in the same month of its cell;
// - the bounds have constant distances from their coordinates; a single cell must end where the
//   next one begins;
// - each cell begins where the one before it ends, and each coordinate is the end or the middle of
//   its cell.
zarr::Result<std::optional<std::string>> ContinuedBounds(const zarr::Hierarchy& hierarchy,
                                                         const std::string& path,
                                                         const GrowingCoordinates& coordinates,
                                                         const std::vector<std::string>& added);

}  // namespace zarr_driver
