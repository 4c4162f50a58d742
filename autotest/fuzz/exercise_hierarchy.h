// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Opens a store with and without its consolidated metadata, and lists it. Applies every convention
// to a limited number of groups and arrays. Reads the first elements of arrays with small chunks.
void ExerciseHierarchy(const std::shared_ptr<const Store>& store);

}  // namespace zarr::fuzz
