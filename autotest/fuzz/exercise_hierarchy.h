// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Opens a store with and without its consolidated metadata, lists it, applies every convention to
// every array, and reads small arrays. Limits the number of nodes.
void ExerciseHierarchy(const std::shared_ptr<const Store>& store);

}  // namespace zarr::fuzz
