// SPDX-License-Identifier: MIT
// Functions for stores and arrays that this driver cannot read, but that GDAL's built-in Zarr
// driver may read.
#pragma once

#include <gdal_priv.h>

#include <string>

#include "core/base/status.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// True if the store at `address` follows the draft of Zarr v3 that GDAL 3.4 to 3.6 wrote. `failure`
// is the error of an attempt to open it as Zarr. Takes at most one request.
bool FollowsV3Draft(const StoreAddress& address, const zarr::Status& failure);

// Opens the raster at `address`, to which `name` leads, with GDAL's built-in Zarr driver, and emits
// a warning that says so. `failure` is the error of this driver. Returns nullptr, without an error,
// if `failure` is not about a missing codec, data type or chunk grid. Also returns nullptr if the
// built-in driver cannot open the raster. Not for the multidimensional API, because there the
// built-in driver also opens groups whose arrays it cannot open.
GDALDataset* OpenForeignCodec(GDALOpenInfo* open_info, const ConnectionString& name,
                              const StoreAddress& address, const zarr::Status& failure);

// Opens the store at `address`, to which `name` leads, with GDAL's built-in Zarr driver. The store
// follows the draft of Zarr v3. Emits one error and returns nullptr if that driver fails.
GDALDataset* OpenV3Draft(GDALOpenInfo* open_info, const ConnectionString& name,
                         const StoreAddress& address);

// Returns the error for a store that follows the draft of Zarr v3. The message says what the user
// can do.
zarr::Status V3DraftError();

}  // namespace zarr_driver
