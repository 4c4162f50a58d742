// SPDX-License-Identifier: MIT
// Fill values, from JSON to the bytes of one element and never through a double.
#pragma once

#include <cstdint>
#include <string>

#include "core/dtype/data_type.h"

namespace zarr {

// Bytes of one element of `type`, in the host's byte order, from the JSON of `.zarray`'s
// "fill_value" (Zarr v2 specification, "Fill value encoding"). `value` must not be null. For
// kObject the result is the string or the bytes themselves. Accepts besides the specification what
// zarr-python writes: 0 and "" for S, U, V and structured types, booleans and numbers for each
// other, integral floats for integers, complex numbers as one number, "NaN" or [re, im].
Result<std::string> ParseFillValue(const DataType& type, const json::Value& value);

}  // namespace zarr
