// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/base/bytes.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

// Builds a store in memory from a text. A line "=== KEY" precedes each value. The value ends at the
// line break before the next such line. Values with invalid keys are left out.
std::shared_ptr<MemoryStore> UnpackStore(ByteSpan input);

}  // namespace zarr::fuzz
