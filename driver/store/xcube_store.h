// SPDX-License-Identifier: MIT
// Stores for xcube's image pyramids, which are folders named "x.levels". Each level of a pyramid is
// a Zarr store in the folder.
#pragma once

#include <string>

#include "driver/store/store_kind.h"

namespace zarr_driver {

// Store kind for xcube's image pyramids, folders named "x.levels". The dataset from which the
// levels were made may lie elsewhere. If StoreAccess::follow_links allows it, that dataset is read
// as level 0.
extern const StoreKind kLevelsKind;

// True if `folder` is named "x.levels" and holds levels of an xcube pyramid. Takes up to three
// stats.
bool IsLevelsFolder(const StorePath& folder);

}  // namespace zarr_driver
