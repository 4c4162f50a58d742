// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>

#include <string>

namespace zarr_driver {

inline constexpr GDALColorInterp kRedGreenBlue[] = {GCI_RedBand, GCI_GreenBand, GCI_BlueBand};

inline bool IsRedGreenOrBlue(GDALColorInterp colour) {
    return colour == GCI_RedBand || colour == GCI_GreenBand || colour == GCI_BlueBand;
}

// What a band shows, by its description: "red", "green", "blue" or "alpha"; else undefined.
GDALColorInterp ColourByName(const char* description);

// What a band of Sentinel-2 shows, by the name that EOPF's products give its array: "b04"; else
// undefined.
GDALColorInterp ColourOfSentinel2(const std::string& name);

}  // namespace zarr_driver
