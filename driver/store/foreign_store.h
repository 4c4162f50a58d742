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
    kNone,      // a store that this driver reads, or nothing known
    kIcechunk,  // an Icechunk repository, which this driver reads by another name
    kV3Draft,   // the Zarr v3 draft that GDAL 3.4 to 3.6 wrote
};

// Returns the kind of foreign store that `name` leads to, by a few stats; kNone for remote paths.
// If the folder holds Zarr documents, the result is kNone and `name.is_store` becomes true,
// whatever else the folder holds. For kIcechunk the caller opens the path that FindIcechunk()
// returns.
ForeignStore FindForeignStore(ConnectionString& name);

// Returns the kind of foreign store at `path`, after an attempt to open `path` as Zarr gave the
// error `failure`. Finds remote Icechunk repositories and drafts of Zarr v3. Takes at most three
// requests.
ForeignStore FindForeignStoreAfterFailure(const StorePath& path, const zarr::Status& failure);

// Opens the raster that `name` leads to with GDAL's built-in Zarr driver, and emits a warning about
// it. `failure` is the error of this driver. Returns nullptr, without an error, unless `failure` is
// about a codec, data type or chunk grid that this driver lacks. Also returns nullptr if the
// built-in driver cannot open the raster. Never used for the multidimensional API, because the
// built-in driver opens groups whose arrays it cannot open.
GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const zarr::Status& failure);

// Opens the store that `name` leads to with GDAL's built-in Zarr driver, and returns that driver's
// dataset. `kind` is the kind of the store. Returns nullptr if the built-in driver fails; emits one
// error if that driver emitted none.
GDALDataset* OpenForeignStore(GDALOpenInfo* open_info, const ConnectionString& name,
                              ForeignStore kind);

// Returns the error for a store that follows the draft of Zarr v3. The message says what the user
// can do.
zarr::Status V3DraftError();

}  // namespace zarr_driver
