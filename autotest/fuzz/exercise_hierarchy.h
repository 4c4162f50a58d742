// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Opens a store with and without its consolidated metadata. Lists the store, applies every
// convention to every array, and reads small arrays. The number of nodes is bounded.
void ExerciseHierarchy(const std::shared_ptr<const Store>& store);

}  // namespace zarr::fuzz
