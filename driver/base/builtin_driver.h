// SPDX-License-Identifier: MIT
// GDAL's built-in Zarr driver. It is registered as "ZarrBuiltin" for programs that request this
// name, and opens stores that this driver ("Zarr") cannot read.
#pragma once

#include <gdal_priv.h>

#include <string>

namespace zarr_driver {

inline constexpr const char* kDriverName = "Zarr";
inline constexpr const char* kBuiltinName = "ZarrBuiltin";

// Returns GDAL's built-in driver; nullptr if GDAL lacks the driver or GDAL_SKIP names it.
GDALDriver* Builtin();

// Returns the driver to register as kBuiltinName: the built-in driver `own`, or a new driver if
// `own` is a deferred plugin. This driver only opens files that "Zarr" may not open. Returns
// nullptr, after an error of GDAL, if the plugin cannot be loaded.
//
// `own` must be unregistered and have its original name. `is_rejected_by_zarr` is true for files
// that "Zarr" can open but does not identify. Not thread-safe.
GDALDriver* WrapBuiltin(GDALDriver* own, bool (*is_rejected_by_zarr)(GDALOpenInfo*));

// Calls the original Identify() of the built-in driver, which WrapBuiltin() replaces. Returns
// GDAL_IDENTIFY_FALSE if there is no built-in driver.
int IdentifyAsBuiltin(GDALOpenInfo* open_info);

// Opens `name` with the built-in driver, using the flags and options in `open_info`. Returns
// nullptr on failure, for which the built-in driver may or may not emit an error.
GDALDataset* OpenAsBuiltin(GDALOpenInfo* open_info, const std::string& name);

// True if the built-in driver has the option `name`. `item` is the metadata item that lists such
// options, for example GDAL_DMD_OPENOPTIONLIST.
bool HasBuiltinOption(const char* item, const char* name);

// Returns `list`, an XML list of this driver's options, with those options of the built-in driver
// that this driver lacks. `item` is the metadata item of the built-in driver's list. Descriptions
// name the built-in driver.
std::string WithOptionsOfBuiltin(const std::string& list, const char* item);

// Makes "Zarr" the driver of a dataset that the built-in driver opened, because scripts check the
// driver's name. Returns `dataset`, which may be nullptr.
GDALDataset* ShowAsZarr(GDALDataset* dataset);

}  // namespace zarr_driver
