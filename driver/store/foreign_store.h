// SPDX-License-Identifier: MIT
// Stores that this driver knows when it sees them, and does not read itself.
#pragma once

#include <gdal_priv.h>

#include <cstdint>
#include <string>

#include "core/base/status.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

enum class ForeignStore : std::uint8_t {
    kNone,           // a store of ours, or nothing that is known
    kReferenceFile,  // Kerchunk references in a JSON file, or a path below /vsikerchunk_json_ref/
    kReferenceParquet,  // Kerchunk references in Parquet files; they have a .zmetadata
    kIcechunk,          // a repository of Icechunk
    kV3Draft,           // the draft of Zarr v3 that GDAL 3.4 to 3.6 wrote
};

// What a path names, by itself and, where that is local, by a few stats; of a web server or an
// object store by the path alone. A folder with documents of Zarr is a store of ours
// whatever else lies in it, which becomes `name.is_store`.
ForeignStore FindForeignStore(ConnectionString& name);

// Tells the kind of store at a path that could not be read as ours, with `failure`: references on a
// server, or a draft of Zarr v3. Costs two requests at most, of which GDAL keeps the answers.
ForeignStore FindForeignStoreBehind(const StorePath& path, const zarr::Status& failure);

// Lets GDAL's own driver open the raster that `name` leads to where `failure` came of reading it as
// a store of ours and a codec, data type or chunk grid that this driver does not have is the cause;
// a warning says so. nullptr without an error where that is not so, or that driver has none
// either. In the multidimensional API it opens a group whose arrays it cannot open, so it is not
// asked there.
GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const zarr::Status& failure);

// True where GDAL's own driver is there and reads stores of this kind.
bool DoesBuiltinRead(ForeignStore kind);

// Lets GDAL's own driver open what `name` leads to, which is of this `kind`, and hands its dataset
// and its errors on. Emits one error where it does not open it and gives none.
GDALDataset* OpenForeignStore(GDALOpenInfo* open_info, const ConnectionString& name,
                              ForeignStore kind);

// Why a store of this `kind` is not opened, and what to do.
zarr::Status NotOpened(ForeignStore kind);

// True where the store that `name` leads to is to be changed, copied or deleted by GDAL's own
// driver.
bool IsStoreOfBuiltin(const char* name);

}  // namespace zarr_driver
