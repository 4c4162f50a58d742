// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in Parquet files: a folder with a `.zmetadata` and
// files "ARRAY/refs.N.parq". The folder may be local, in a zip file, or remote. A name
// "/vsikerchunk_parquet_ref/{path}" refers to the folder at `path`.
extern const StoreKind kKerchunkParquetKind;

// True if `path` leads to a folder of Kerchunk references in Parquet files. Reads the `.zmetadata`
// of a local folder that has no other document, and of a local zip file with ".parq" in its path.
// Remote folders are judged by their names alone: they end in ".parq".
bool IsKerchunkParquet(const StorePath& path);

// True if `folder`, which IsKerchunkParquet() does not recognise by its path, has a `.zmetadata`
// with Kerchunk references. Reads that `.zmetadata`.
bool HoldsKerchunkParquet(const StorePath& folder);

// Returns the name "/vsikerchunk_parquet_ref/{folder}", which IsKerchunkParquet() recognises.
StorePath NameKerchunkParquet(const StorePath& folder);

}  // namespace zarr_driver
