// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"

namespace zarr {

// Decompresses `compressed`, a raw Snappy stream (Snappy's "Format description"), into `bytes`.
// Fails with kCorrupt if the stream is damaged or does not contain exactly `bytes.size` bytes.
Status DecompressSnappy(ByteSpan compressed, MutableByteSpan bytes);

}  // namespace zarr
