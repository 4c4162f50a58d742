// SPDX-License-Identifier: MIT
#pragma once

#include <gdal.h>
#include <gdal_priv.h>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "core/conventions/cf/band_lists.h"
#include "core/json/value.h"

namespace zarr_driver {

inline constexpr GDALColorInterp kRedGreenBlue[] = {GCI_RedBand, GCI_GreenBand, GCI_BlueBand};

inline bool IsRedGreenOrBlue(GDALColorInterp colour) {
    return colour == GCI_RedBand || colour == GCI_GreenBand || colour == GCI_BlueBand;
}

// Returns the colour for a band description "red", "green", "blue" or "alpha". Returns
// GCI_Undefined for any other description.
GDALColorInterp ColourByName(const char* description);

// Returns the colour of a Sentinel-2 band. `name` is the array's name in EOPF products, such as
// "b04". Returns GCI_Undefined for any other name.
GDALColorInterp ColourOfSentinel2(const std::string& name);

// Returns the colour that an array states for a slice by zarr::kColoursOfBands; nullopt if it
// states none that this GDAL knows. See zarr::BandLists::ColourOf().
std::optional<GDALColorInterp> StoredColour(const zarr::BandLists& lists,
                                            const zarr::json::Value& attributes, std::size_t band,
                                            std::size_t slice);

// Returns a warning if zarr::kColoursOfBands is neither a name of a colour interpretation nor a
// list of names.
zarr::Warnings ColourWarnings(const zarr::json::Value& attributes);

// Returns the colours of classes that the attributes of an array state, or null if there are none.
std::unique_ptr<GDALColorTable> ClassColours(const zarr::json::Value& attributes);

}  // namespace zarr_driver
