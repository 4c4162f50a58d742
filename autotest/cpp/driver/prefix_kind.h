// SPDX-License-Identifier: MIT
// A toy kind of store, to show what a new kind takes: this file, its source and a line in the
// table.
#pragma once

#include "driver/store/store_kind.h"

namespace zarr_driver::test {

// "FOLDER@PREFIX": the keys below a prefix of the store in a folder. Read-only.
extern const StoreKind kPrefixKind;

}  // namespace zarr_driver::test
