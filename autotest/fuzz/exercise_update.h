// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Updates small arrays of a store: writes a part of the elements, then changes the shape. Opens the
// arrays again to check that written elements are stored, other elements are unchanged, and removed
// elements do not return. Limits the number of arrays.
void ExerciseUpdate(const std::shared_ptr<Store>& store);

}  // namespace zarr::fuzz
