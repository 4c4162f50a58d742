// SPDX-License-Identifier: MIT
// GDAL's built-in Zarr driver. It is registered as "ZarrBuiltin" for programs that ask for that
// name. All other calls go to "Zarr", which calls the built-in driver for stores that it does not
// read itself.
#pragma once

#include <gdal_priv.h>

#include <string>

namespace zarr_driver {

inline constexpr const char* kDriverName = "Zarr";
inline constexpr const char* kBuiltinName = "ZarrBuiltin";

// Returns the built-in driver, or nullptr if GDAL lacks it or GDAL_SKIP names it.
GDALDriver* Builtin();

// Returns the driver to register as kBuiltinName. It is `own`, the built-in driver, or for a
// deferred plugin a new driver with the plugin's functions. At any place in the order of drivers,
// the returned driver opens files only if "Zarr" may not be asked.
//
// `own` still has its original name, by which GDAL finds the plugin, and is not registered.
// `is_rejected_by_zarr` returns true for files that "Zarr" opens but does not identify. Returns
// nullptr if the plugin cannot be loaded; GDAL has then emitted an error. Not thread-safe.
GDALDriver* WrapBuiltin(GDALDriver* own, bool (*is_rejected_by_zarr)(GDALOpenInfo*));

// Returns the answer of the built-in driver's own Identify(), at any place in the order of drivers.
// Returns GDAL_IDENTIFY_FALSE if there is no built-in driver.
int IdentifyAsBuiltin(GDALOpenInfo* open_info);

// Opens `name` with the built-in driver, with the flags and options of `open_info`. The built-in
// driver emits its own errors. Returns nullptr on failure, with or without an error.
GDALDataset* OpenAsBuiltin(GDALOpenInfo* open_info, const std::string& name);

// True if the built-in driver has the option `name` in its list of options `item`, such as
// GDAL_DMD_OPENOPTIONLIST.
bool HasBuiltinOption(const char* item, const char* name);

// Returns `list`, an XML list of options, with the options appended that only the built-in driver
// has in its list `item`. Their descriptions say that they belong to that driver.
std::string WithOptionsOfBuiltin(const std::string& list, const char* item);

// Makes "Zarr" the driver of a dataset that the built-in driver opened, because scripts compare
// that name. Returns `dataset`, which may be nullptr.
GDALDataset* ShowAsZarr(GDALDataset* dataset);

}  // namespace zarr_driver
