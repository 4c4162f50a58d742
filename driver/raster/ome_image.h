// SPDX-License-Identifier: MIT
// Keeps the OME-Zarr metadata of a raster up to date, for stores of PROFILE=OME.
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/conventions/ome/ome_write.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrDataset;

// Returns the identity of the OME image that PROFILE=OME has made for the only array of `dataset`.
// Returns nullopt for other datasets.
std::optional<zarr::OmeIdentity> FindOmeImage(const ZarrDataset& dataset);

// Writes OME metadata of a dataset with one array to the attributes of the array's group. The
// metadata describes the current axes, pixel sizes, channels and levels. Writes nothing if the
// attributes are up to date. Call after overviews were listed.
zarr::Status StoreOmeImage(ZarrDataset& dataset, const zarr::OmeIdentity& identity,
                           StoreUpdate& update);

}  // namespace zarr_driver
