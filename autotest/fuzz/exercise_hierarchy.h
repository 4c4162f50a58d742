// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Opens a store as users would, with and without its consolidated metadata: lists it, asks every
// convention about every array, and reads what is small. Looks at a bounded number of nodes.
void ExerciseHierarchy(const std::shared_ptr<const Store>& store);

}  // namespace zarr::fuzz
