// SPDX-License-Identifier: MIT
#pragma once

#include "core/base/status.h"
#include "driver/store/store_address.h"
#include "driver/store/store_kind.h"

namespace zarr_driver {

// Read-only store kind for Kerchunk references in Parquet files: a local, zipped or remote folder
// with a `.zmetadata` and files "ARRAY/refs.N.parq". The scheme kKerchunkParquet proves it, and the
// name of a remote folder that ends in ".parq". For other folders, HoldsKerchunkParquet() reads the
// `.zmetadata`.
extern const StoreKind kKerchunkParquetKind;

// True if `folder` has a `.zmetadata` with Kerchunk references. False for an address of the scheme
// kKerchunkParquet, which is recognised without reading.
bool HoldsKerchunkParquet(const StoreAddress& folder);

// Returns the address of the Kerchunk references that `folder` is known to hold, although its name
// does not show it.
StoreAddress AsKerchunkParquet(const StoreAddress& folder);

// Returns the error for an attempt to change Kerchunk references, which are read-only.
zarr::Status RefuseChangeOfReferences(const StoreAddress& address, StoreOperation operation);

// Frees the references that were opened last. They were kept in memory for the next opening.
void ForgetKerchunkParquet();

}  // namespace zarr_driver
