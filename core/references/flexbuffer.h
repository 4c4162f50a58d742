// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/json/value.h"

namespace zarr {

// Parses a FlexBuffer (flatbuffers.dev, "FlexBuffers"). Maps become objects, vectors become arrays,
// and blobs become strings, which may be invalid UTF-8. Returns kCorrupt if the buffer is damaged,
// and kLimit if it exceeds Limit::kJsonDepth, Limit::kJsonValues or, with all its strings,
// Limit::kMetadataSize.
Result<json::Value> ParseFlexBuffer(ByteSpan buffer);

}  // namespace zarr
