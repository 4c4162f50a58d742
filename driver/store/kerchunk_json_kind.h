// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "driver/store/store_kind.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in a JSON file "x.json" or "x.json.zst", which may
// be local, in a zip file or on a server, and for addresses of the scheme kKerchunkJson. Reads the
// start of a local file to recognise it. Judges files on servers and in zip files by their names
// alone.
extern const StoreKind kKerchunkJsonKind;

// True if `name`, a file name without folder, has an ending that documents of Kerchunk references
// may have.
bool IsNamedAsReferences(std::string_view name);

// Frees the parsed document of Kerchunk references that was read last. The document was kept in
// memory for the next opening.
void ForgetKerchunkJson();

}  // namespace zarr_driver
