// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Stores that are a document of Kerchunk references in JSON: a file "x.json" or "x.json.zst" of
// this machine, in a zip file or on a server, or a name "/vsikerchunk_json_ref/{path}". Read-only.
extern const StoreKind kKerchunkJsonKind;

// True if `name`, without its folder, is one that such a document may have.
bool IsNamedAsReferences(std::string_view name);

// True if the first bytes of a file of that name are those of references.
bool AreKerchunkReferences(const std::string& path, std::string_view start);

// True if a document of references is at `path`. Reads the start of a local file, and asks no
// server.
bool IsKerchunkJson(const StorePath& path);

// Frees the document that was read last, which is kept for the next opening.
void ForgetReferences();

}  // namespace zarr_driver
