// SPDX-License-Identifier: MIT
#include "autotest/fuzz/exercise_hierarchy.h"
#include "autotest/fuzz/exercise_update.h"
#include "autotest/fuzz/packed_store.h"
#include "autotest/fuzz/targets.h"

namespace zarr::fuzz {

void FuzzStore(ByteSpan input) {
    const auto store = UnpackStore(input);
    ExerciseHierarchy(store);
    ExerciseUpdate(store);
}

}  // namespace zarr::fuzz
