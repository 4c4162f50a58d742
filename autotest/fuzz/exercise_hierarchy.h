// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Opens a store with and without its consolidated metadata, and lists a limited number of nodes.
// Applies every convention to each array, and reads small arrays.
void ExerciseHierarchy(const std::shared_ptr<const Store>& store);

}  // namespace zarr::fuzz
