// SPDX-License-Identifier: MIT
// Files of metadata that GDAL's built-in Zarr driver keeps in a local store.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "driver/raster/band_array.h"
#include "driver/raster/stored_pam.h"

namespace zarr_driver {

// The file ".zarray.aux.xml" or "zarr.json.aux.xml" in the folder of an array.
struct BuiltinPamFile {
    XmlTree tree;              // nullptr if the file is missing, invalid or remote
    std::int64_t written = 0;  // time of the file, in nanoseconds since 1970
};

// Reads the file of an array.
BuiltinPamFile ReadBuiltinPamFile(const std::string& store_path, const BandArray& array);

// Returns the metadata of the array as a raster from `file`; nullptr if there is none. The file has
// the metadata itself, or a `DerivedDataset` for the axes of the raster. The result lacks facts
// that the array states itself: metadata items, nodata, scale, offset, unit and colours.
// Statistics are left out if `has_changed_since` returns true for the time of the file, in
// nanoseconds since 1970.
XmlTree BuiltinPam(const BuiltinPamFile& file, const BandArray& array,
                   const std::function<bool(std::int64_t)>& has_changed_since);

// Returns the path, without ".ovr", of the array's overview file; empty if there is none. The file
// is named by "pam.aux.xml" of the store or by `file` of the array, such as "x.zarr/pam.0". Before
// GDAL 3.13 it is "x.zarr/a/zarr.json.a".
std::string BuiltinOverviewBase(const std::string& store_path, const BandArray& array,
                                const BuiltinPamFile& file);

}  // namespace zarr_driver
