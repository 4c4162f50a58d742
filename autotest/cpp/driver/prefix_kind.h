// SPDX-License-Identifier: MIT
// A kind of store for tests. It shows that a new kind needs only a header, a source file and a row
// in the table of kinds.
#pragma once

#include "driver/store/store_kind.h"

namespace zarr_driver::test {

// Read-only stores named "FOLDER@PREFIX". Such a store has the keys below PREFIX of the store in
// FOLDER.
extern const StoreKind kPrefixKind;

}  // namespace zarr_driver::test
