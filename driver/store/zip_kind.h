// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/store/store.h"
#include "core/store/zip_reader.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// Store kind for zip files: addresses with a zip file.
extern const StoreKind kZipKind;

// Writes the members of a zip file anew, without those that were replaced: first the documents
// "zarr.json", by their depth. Nobody else may use the file.
zarr::Status SortZip(const std::string& path);

// Returns the folder of the store in `archive`, the zip file of `address`; an empty text is the
// root of the archive. If `address` states no folder, the archive is searched for a store.
std::string InnerFolder(const StoreAddress& address, const zarr::ZipArchive& archive);

}  // namespace zarr_driver
