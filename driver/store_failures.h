// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/hierarchy/hierarchy.h"

namespace zarr_driver {

// Warns where the store failed to give metadata or a listing since it was last asked, unless that
// is what was reported last: what is looked for and need not be there, coordinates or a CRS, may be
// missing for that reason. `store` is its path.
void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store);

}  // namespace zarr_driver
