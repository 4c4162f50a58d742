// SPDX-License-Identifier: MIT
// Keeps elements valid that the codec "bitround" would round to the fill value or to infinity.
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Protects elements of a decoded chunk from the rounding of the array's codec "bitround". Rounding
// could change a number to the fill value or to infinity, or a NaN to a number. Such a number is
// replaced by a neighbouring rounded number, and such a NaN by the default NaN.
//
// Returns `chunk` itself if no element is replaced, and otherwise a span of `copy`. Chunks of other
// types than floats, or not in the host's byte order, are returned unchanged.
Result<ByteSpan> GuardRounding(const ArrayMetadata& metadata, ByteSpan chunk, Buffer& copy);

}  // namespace zarr
