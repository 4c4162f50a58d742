// SPDX-License-Identifier: MIT
// xcube's pyramids "x.levels": a folder in which each level is a store.
#pragma once

#include <string>

#include "driver/store/store_kind.h"

namespace zarr_driver {

// Store kind for folders named "x.levels". If StoreAccess::follow_links allows it, the dataset from
// which the levels were made is mounted into the store.
extern const StoreKind kLevelsKind;

// True if `folder` is named "x.levels" and holds levels. Takes up to three stats.
bool IsLevelsFolder(const std::string& folder);

}  // namespace zarr_driver
