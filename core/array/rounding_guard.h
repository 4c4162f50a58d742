// SPDX-License-Identifier: MIT
// Keeps elements valid that the codec "bitround" would round to the fill value or to infinity.
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Replaces the elements of a decoded chunk that the rounding of the array's codec "bitround" would
// change to the fill value, to infinity, or from NaN to another value. A number is replaced by a
// neighbouring rounded number, a NaN by the default NaN. Returns `chunk` itself if no element is
// replaced, and otherwise a span of `copy`. Chunks of other types than floats, or not in the host's
// byte order, are returned unchanged.
Result<ByteSpan> GuardRounding(const ArrayMetadata& metadata, ByteSpan chunk, Buffer& copy);

}  // namespace zarr
