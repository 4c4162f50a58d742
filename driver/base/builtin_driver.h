// SPDX-License-Identifier: MIT
// GDAL's built-in Zarr driver, registered as "ZarrBuiltin" for programs that request this name. All
// other requests go to the driver "Zarr", which calls the built-in driver for stores that it cannot
// read itself.
#pragma once

#include <gdal_priv.h>

#include <string>

namespace zarr_driver {

inline constexpr const char* kDriverName = "Zarr";
inline constexpr const char* kBuiltinName = "ZarrBuiltin";

// Returns the built-in driver. Returns nullptr if GDAL lacks the driver or GDAL_SKIP names it.
GDALDriver* Builtin();

// Prepares the built-in driver `own` for registration as kBuiltinName, and returns the driver to
// register: `own`, or a new driver with the functions of a deferred plugin. The returned driver
// only opens files that "Zarr" may not open. Returns nullptr if a deferred plugin cannot be loaded;
// GDAL has then emitted an error.
//
// `own` must not be registered, and must have its original name, by which GDAL finds the plugin.
// `is_rejected_by_zarr` returns true for files that "Zarr" opens but does not identify. Not
// thread-safe.
GDALDriver* WrapBuiltin(GDALDriver* own, bool (*is_rejected_by_zarr)(GDALOpenInfo*));

// Calls the Identify() that the built-in driver had before WrapBuiltin() replaced the function.
// Returns GDAL_IDENTIFY_FALSE if there is no built-in driver.
int IdentifyAsBuiltin(GDALOpenInfo* open_info);

// Opens `name` with the built-in driver, with the flags and options in `open_info`. Returns nullptr
// on failure. The built-in driver emits its own error, or sometimes none.
GDALDataset* OpenAsBuiltin(GDALOpenInfo* open_info, const std::string& name);

// True if the built-in driver has the option `name`. `item` is the metadata item with the list of
// options, such as GDAL_DMD_OPENOPTIONLIST.
bool HasBuiltinOption(const char* item, const char* name);

// Adds the built-in driver's options to `list`, an XML list of this driver's options, and returns
// the result. Only options that this driver lacks are added. `item` is the metadata item with the
// built-in driver's list. Descriptions of the added options say that they belong to the built-in
// driver.
std::string WithOptionsOfBuiltin(const std::string& list, const char* item);

// Sets the driver of a dataset that the built-in driver opened to "Zarr", because scripts compare
// the driver's name. Returns `dataset`, which may be nullptr.
GDALDataset* ShowAsZarr(GDALDataset* dataset);

}  // namespace zarr_driver
