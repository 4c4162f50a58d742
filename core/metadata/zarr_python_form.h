// SPDX-License-Identifier: MIT
// Where zarr-python writes a `.zarray` that means something else than the Zarr v2 specification
// makes of it, as zarr-python 3.0.6 has been seen to do; later versions write what it says.
#pragma once

#include "core/json/value.h"

namespace zarr {

// True for text of a fixed width, "<U5" or "|S5", whose first filter is a codec of objects,
// vlen-utf8 or vlen-bytes: the chunks hold texts of any width.
bool IsTextOfObjects(const json::Value& array_document);

// Such a document with the dtype "|O", which chunks of that filter have, and with the fill value of
// bytes as it is, not in base64.
json::Value AsObjects(json::Value array_document);

}  // namespace zarr
