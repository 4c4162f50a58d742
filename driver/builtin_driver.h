// SPDX-License-Identifier: MIT
#pragma once

#include <gdal_priv.h>

namespace zarr_driver {

inline constexpr const char* kDriverName = "Zarr";
inline constexpr const char* kBuiltinName = "ZarrBuiltin";

// GDAL's own driver under its new name; nullptr where there is none.
GDALDriver* Builtin();

// Registers GDAL's own driver again, as kBuiltinName. It stays behind this one wherever GDAL puts
// it: a file drivers.ini in a plugin folder, as Debian has it, orders drivers by names of its own
// and asks those first that it does not name.
void KeepBuiltin(GDALDriver* builtin);

}  // namespace zarr_driver
