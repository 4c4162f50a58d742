// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "core/base/status.h"
#include "core/store/store.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in Parquet files: a folder with a `.zmetadata` and
// files "ARRAY/refs.N.parq". The folder may be local, in a zip file, or remote. A name
// "/vsikerchunk_parquet_ref/{path}" refers to the folder at `path`.
extern const StoreKind kKerchunkParquetKind;

// True if the name alone shows that `path` leads to Kerchunk references in Parquet files. Such a
// name has GDAL's prefix, or names a remote folder and ends in ".parq". For other folders,
// HoldsKerchunkParquet() reads the `.zmetadata`.
bool IsKerchunkParquet(const StorePath& path);

// True if `folder` has a `.zmetadata` with Kerchunk references. Returns false for a folder with
// GDAL's prefix, which IsKerchunkParquet() recognises by its name.
bool HoldsKerchunkParquet(const StorePath& folder);

// Opens the Kerchunk references in the folder `path`, which may have GDAL's prefix.
zarr::Result<std::shared_ptr<const zarr::Store>> OpenKerchunkParquet(const StorePath& path,
                                                                     const StoreAccess& access);

// Returns the error for an attempt to change references, which are read-only.
zarr::Status ReferencesAreReadOnly();

// Frees the references that were opened last. They were kept in memory for the next opening.
void ForgetKerchunkParquet();

}  // namespace zarr_driver
