// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <string>

namespace zarr_driver {

// What a band shows, by its description: "red", "green", "blue" or "alpha"; else undefined.
GDALColorInterp ColourByName(const char* description);

// What a band of Sentinel-2 shows, by the name that EOPF's products give its array: "b04"; else
// undefined.
GDALColorInterp ColourOfSentinel2(const std::string& name);

}  // namespace zarr_driver
