// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in Parquet files: a local, zipped or remote folder
// with a `.zmetadata` and files "ARRAY/refs.N.parq". "/vsikerchunk_parquet_ref/{path}" also names
// the folder at `path`.
extern const StoreKind kKerchunkParquetKind;

// True if the name alone shows that `path` leads to Kerchunk references in Parquet files: it has
// the prefix /vsikerchunk_parquet_ref/, or names a remote folder and ends in ".parq". For other
// folders, HoldsKerchunkParquet() reads the `.zmetadata`.
bool IsKerchunkParquet(const StorePath& path);

// True if `folder` has a `.zmetadata` with Kerchunk references. False for a folder with the prefix
// /vsikerchunk_parquet_ref/, which IsKerchunkParquet() recognises by its name.
bool HoldsKerchunkParquet(const StorePath& folder);

// Opens the Kerchunk references in the folder `path`, which may have the prefix
// /vsikerchunk_parquet_ref/.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenKerchunkParquet(const StorePath& path,
                                                                     const StoreAccess& access);

// Returns the error for an attempt to change references, which are read-only.
zarr::Status ReferencesAreReadOnly();

// Frees the references that were opened last. They were kept in memory for the next opening.
void ForgetKerchunkParquet();

}  // namespace zarr_driver
