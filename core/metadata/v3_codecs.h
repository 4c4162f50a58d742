// SPDX-License-Identifier: MIT
// The list of codecs of Zarr v3 (its specification, "Codecs") in the terms of the model.
#pragma once

#include "core/base/status.h"
#include "core/json/value.h"
#include "core/metadata/array_metadata.h"

namespace zarr {

// Reads "codecs" into `metadata`, whose shape, dtype and `chunks`, the shape of what is stored as
// one value, are set: its codecs, the order of the axes, the byte order of the dtype, and of
// sharded arrays the shards, with `chunks` made the innermost ones. Transpositions before the codec
// that makes bytes become the order of the axes; codecs that change each element by itself and
// stand before sharding are moved into it. kCorrupt where the list is none that the specification
// allows; kUnsupported for a codec that is not known, by its name. Errors name the codec's place.
Status ReadV3Codecs(const json::Value& codecs, ArrayMetadata& metadata);

// The list for a new array. Errors are kInvalidArgument.
Result<json::Value> V3CodecsOf(const ArraySpec& spec);

}  // namespace zarr
