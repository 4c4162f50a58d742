// SPDX-License-Identifier: MIT
// Stores that this driver recognises but does not read itself.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

enum class ForeignStore : std::uint8_t {
    kNone,              // a store that this driver reads, or nothing known
    kReferenceParquet,  // Kerchunk references in Parquet files, with a .zmetadata
    kIcechunk,          // an Icechunk repository
    kV3Draft,           // the Zarr v3 draft that GDAL 3.4 to 3.6 wrote
};

// Returns the kind of foreign store that `name` leads to. Remote paths are judged by their text
// alone; local ones also by a few stats. Zarr documents in the folder make it kNone, whatever else
// the folder holds. Then `name.is_store` becomes true.
ForeignStore FindForeignStore(ConnectionString& name);

// Returns the kind of foreign store at `path`, after opening it as Zarr gave `failure`. Finds
// remote references and drafts of Zarr v3. Takes at most two requests, whose answers GDAL caches.
ForeignStore FindForeignStoreAfterFailure(const StorePath& path, const zarr::Status& failure);

// Opens the raster that `name` leads to with GDAL's built-in Zarr driver, and warns that it did.
// Applies if `failure` came from a codec, data type or chunk grid that this driver lacks. Returns
// nullptr without an error if the cause was another one, or if the built-in driver cannot open the
// raster either. Never used for the multidimensional API: the built-in driver opens groups whose
// arrays it cannot open.
GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const zarr::Status& failure);

// True if GDAL's built-in Zarr driver exists and reads stores of this `kind`.
bool CanBuiltinRead(ForeignStore kind);

// Opens the store that `name` leads to, which is of this `kind`, with GDAL's built-in Zarr driver.
// Returns that driver's dataset. Emits one error if the built-in driver fails without one.
GDALDataset* OpenForeignStore(GDALOpenInfo* open_info, const ConnectionString& name,
                              ForeignStore kind);

// Returns the error that says why a store of this `kind` is not opened, and what to do.
zarr::Status ForeignStoreError(ForeignStore kind);

// True if GDAL's built-in Zarr driver has to update, copy or delete the store that `name` leads to.
bool IsStoreOfBuiltin(const char* name);

}  // namespace zarr_driver
