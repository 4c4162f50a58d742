// SPDX-License-Identifier: MIT
// Where netCDF-C's NCZarr writes a `.zarray` that means something else than the Zarr v2
// specification makes of it, as netCDF-C 4.9.0 has been seen to do.
#pragma once

#include "core/json/value.h"

namespace zarr {

// The extension of NCZarr in a `.zarray`, "_NCZARR_ARRAY" or "_nczarr_array"; nullptr where the
// array is not netCDF-C's. Borrows.
const json::Value* NczarrExtension(const json::Value& array_document);

// The document as the specification would have it: of a scalar, which NCZarr stores with the shape
// [1] under the same chunk key, without dimensions; of characters, which it calls "<U1" but stores
// as one byte each, of "|S1"; and with the exact fill value where the default one of doubles was
// written with six digits. Any other document as it is.
json::Value AsSpecified(json::Value array_document);

}  // namespace zarr
