// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Parses a FlexBuffer (flatbuffers.dev, "FlexBuffers"). Maps become objects, vectors of any type
// become arrays, and blobs become strings, which may be invalid UTF-8. Returns kCorrupt if the
// buffer is damaged. Returns kLimit if the buffer exceeds Limit::kJsonDepth or Limit::kJsonValues,
// or if its strings have more than Limit::kMetadataSize bytes together.
Result<json::Value> ParseFlexBuffer(ByteSpan buffer);

}  // namespace zarr
