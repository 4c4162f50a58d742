// SPDX-License-Identifier: MIT
// Keeps the OME-Zarr metadata of a raster up to date, for stores of PROFILE=OME.
#pragma once

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/conventions/ome_write.h"
#include "driver/store/store_update.h"

namespace zarr_driver {

class ZarrDataset;

// Returns the identity of the OME image that PROFILE=OME has made for the only array of `dataset`.
// Returns nullopt for other datasets.
std::optional<zarr::OmeIdentity> FindOmeImage(const ZarrDataset& dataset);

// Writes the OME image of a dataset with one array to the attributes of the array's group. Axes,
// pixel sizes, channels and levels are those that the dataset and the group state now. Writes
// nothing if the attributes already state them. Call after overviews were listed.
zarr::Status StoreOmeImage(ZarrDataset& dataset, const zarr::OmeIdentity& identity,
                           StoreUpdate& update);

}  // namespace zarr_driver
