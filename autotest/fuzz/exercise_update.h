// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Changes arrays of a store that are small enough, as users would who open it for update: part of
// the elements, then the shape. Checks that what was written is there for whoever opens the store
// afterwards, that all else is what it was, and that what was cut off does not come back. Looks at
// a bounded number of arrays.
void ExerciseUpdate(const std::shared_ptr<Store>& store);

}  // namespace zarr::fuzz
