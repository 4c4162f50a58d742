// SPDX-License-Identifier: MIT
// Translates the member "codecs" of Zarr v3 (Zarr v3 specification, "Codecs") to ArrayMetadata.
#pragma once

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Reads the member "codecs" into `metadata`: its codecs, axis order, byte order, shards and inner
// chunk shape. On entry, `metadata` must have the shape and the dtype, and in `chunks` the shape of
// the outermost shards or of the chunks.
//
// Transpose codecs before the array-to-bytes codec become the axis order. Elementwise codecs before
// the sharding codec are moved into the shards. Returns kCorrupt if the specification does not
// allow the list; kUnsupported if a codec is unknown. Errors begin with the codec's path.
Status ReadV3Codecs(const json::Value& codecs, ArrayMetadata& metadata);

// Returns the member "codecs" of a new array. Returns kInvalidArgument if a codec is invalid.
Result<json::Value> V3CodecsOf(const ArraySpec& spec);

}  // namespace zarr
