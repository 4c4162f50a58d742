// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/base/bytes.h"
#include "core/store/memory_store.h"

namespace zarr::fuzz {

// A store in memory from a text that a fuzzer can change anywhere: a line "=== KEY" before each
// value, which goes on to the line break before the next such line. What is no key is left out.
std::shared_ptr<MemoryStore> UnpackStore(ByteSpan input);

}  // namespace zarr::fuzz
