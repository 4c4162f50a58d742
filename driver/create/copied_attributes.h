// SPDX-License-Identifier: MIT
// Facts of a source that a copy stores as attributes and arrays of CF.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>

#include "core/base/status.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

// Removes the metadata items of a band of netCDF that CopyCommonAttributes() or SetUnitType()
// stores, and that no attribute could otherwise store.
void RemoveStoredByCf(GDALRasterBand& from, CPLStringList& items);

// Stores metadata items with names of CF attributes, such as `standard_name` and `flag_values`, as
// attributes of an array if all its bands have them with equal values. An attribute that the array
// has stays. Band i of `source` is band i of `target`.
void CopyCommonAttributes(GDALDataset& source, ZarrDataset& target);

// Stores the longitudes and latitudes of each pixel, to which the domain GEOLOCATION of `source`
// leads, as arrays that the attribute `coordinates` names. Returns false if that is not possible:
// they are no degrees, have another size than the raster, or cannot be read.
zarr::Result<bool> CopyGeolocation(GDALDataset& source, ZarrDataset& target);

}  // namespace zarr_driver
