// SPDX-License-Identifier: MIT
// xcube's "x.levels": a folder whose levels are stores of their own.
#pragma once

#include <string>

#include "driver/store/store_kind.h"

namespace zarr_driver {

// The store that holds an "x.levels", with the dataset in it that the levels were made from, if
// that lies in another store which StoreAccess::follow_links allows to read.
extern const StoreKind kLevelsKind;

// True if `folder` is an "x.levels"; a few stats.
bool IsLevelsFolder(const std::string& folder);

}  // namespace zarr_driver
