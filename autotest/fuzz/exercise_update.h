// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/store/store.h"

namespace zarr::fuzz {

// Updates some small arrays of a store: writes a part of the elements, then changes the shape.
// Checks that written elements are stored, other elements stay, and removed elements do not return.
void ExerciseUpdate(const std::shared_ptr<Store>& store);

}  // namespace zarr::fuzz
