// SPDX-License-Identifier: MIT
// Keeps elements valid that the codec "bitround" would round to the fill value or to infinity.
#pragma once

#include "core/base/bytes.h"
#include "core/base/status.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Replaces the elements of a decoded chunk that the rounding of the array's codec "bitround" would
// change to the fill value, to infinity, or from NaN to another value. A number is replaced by the
// other neighbour among the rounded numbers, a NaN by the default NaN. Returns `chunk` itself if
// there are no such elements, and otherwise a span of `copy`. Reads chunks of floats in the host's
// byte order only; others are returned unchanged.
Result<ByteSpan> GuardRounding(const ArrayMetadata& metadata, ByteSpan chunk, Buffer& copy);

}  // namespace zarr
