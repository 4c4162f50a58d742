// SPDX-License-Identifier: MIT
// Longitudes of columns that jump by 360 degrees: 178, 179, -180, -179.
#pragma once

#include <cstdint>
#include <optional>

#include "core/conventions/cf/coordinates.h"

namespace zarr {

// Regular longitudes of columns, in degrees. The centre of the axis is between -180 and 180.
struct LongitudeAxis {
    RegularAxis axis;
    // Column at which the axis begins. Column 0 follows the last column of the array. Not 0 if the
    // columns were sorted by longitude: -180, -179, 178, 179.
    std::uint64_t first = 0;
};

// Returns the axis of longitudes that jump, and are regular modulo 360. Returns nullopt for
// coordinates without a jump by more than 180 degrees, and for irregular longitudes. Columns that
// were sorted are found only if all coordinates were read.
std::optional<LongitudeAxis> FitLongitudes(const Coordinates& coordinates);

}  // namespace zarr
