// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/base/bytes.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

// Unpacks a text into a store in memory. A line "=== KEY" precedes each value, which ends at the
// line break before the next line of this form. Values with invalid keys are left out.
std::shared_ptr<MemoryStore> UnpackStore(ByteSpan input);

}  // namespace zarr::fuzz
