// SPDX-License-Identifier: MIT
// GDAL's own Zarr driver. It keeps the name "ZarrBuiltin" for programs that ask for it by that
// name; everything else goes through "Zarr", which calls it for what it does not read itself.
#pragma once

#include <gdal_priv.h>

#include <string>

namespace zarr_driver {

inline constexpr const char* kDriverName = "Zarr";
inline constexpr const char* kBuiltinName = "ZarrBuiltin";

// GDAL's own driver under its new name; nullptr where there is none, or GDAL_SKIP names it.
GDALDriver* Builtin();

// GDAL's own driver as kBuiltinName, to be registered: `own` itself, or where it stands for a
// plugin of GDAL's that is loaded when it is needed, a driver with the plugin's functions. Wherever
// GDAL puts it in the order of drivers, it opens only where "Zarr" may not be asked. `own` has its
// old name still, by which GDAL finds the plugin, and is not registered.
// `is_turned_down_by_zarr` is true of what "Zarr" opens and does not identify. nullptr where the
// plugin cannot be loaded, of which GDAL has told. Not thread-safe.
GDALDriver* MakeBuiltin(GDALDriver* own, bool (*is_turned_down_by_zarr)(GDALOpenInfo*));

// What GDAL's own driver says by itself, whatever its place in the order of drivers;
// GDAL_IDENTIFY_FALSE where there is none.
int IdentifyAsBuiltin(GDALOpenInfo* open_info);

// Opens `name` as GDAL's own driver, with the flags and options of `open_info`, and hands its
// dataset and its errors on. nullptr where it does not open it, with or without an error.
GDALDataset* OpenAsBuiltin(GDALOpenInfo* open_info, const std::string& name);

// True where the list of options `item` of GDAL's own driver, such as GDAL_DMD_OPENOPTIONLIST, has
// the option `name`.
bool DoesBuiltinKnow(const char* item, const char* name);

// `list`, an XML list of options, and behind them those that only GDAL's own driver has in its list
// `item`; their descriptions say whose they are.
std::string WithOptionsOfBuiltin(const std::string& list, const char* item);

// Makes "Zarr" the driver that a dataset names as its own, where that would be "ZarrBuiltin", so
// that scripts find the name that they compare with. Returns `dataset`, which may be nullptr.
GDALDataset* AsOurs(GDALDataset* dataset);

}  // namespace zarr_driver
