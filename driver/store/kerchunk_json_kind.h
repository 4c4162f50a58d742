// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in a JSON file "x.json" or "x.json.zst", which may
// be local, in a zip file or on a server. "/vsikerchunk_json_ref/{path}" also names the file at
// `path`.
extern const StoreKind kKerchunkJsonKind;

// True if `name`, a file name without folder, has an ending that documents of Kerchunk references
// may have.
bool IsNamedAsReferences(std::string_view name);

// True if the file at `path` holds Kerchunk references. Decides by the file's name and by `start`,
// its first bytes.
bool AreKerchunkReferences(const std::string& path, std::string_view start);

// True if `path` leads to a document of Kerchunk references. Reads the start of a local file.
// Judges files on servers and in zip files by their names alone.
bool IsKerchunkJson(const StorePath& path);

// Frees the parsed document of Kerchunk references that was read last. The document was kept in
// memory for the next opening.
void ForgetKerchunkJson();

}  // namespace zarr_driver
