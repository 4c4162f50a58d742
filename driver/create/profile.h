// SPDX-License-Identifier: MIT
// The creation option PROFILE, which sets the options that suit a purpose.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/metadata/array_metadata.h"
#include "driver/create/create_store.h"

namespace zarr_driver {

// Properties of a new raster that decide which options a profile sets.
struct ProfiledRaster : NewRaster {
    bool are_bands_split = false;  // true if each band is an array of its own
    bool is_categorical = false;   // true if pixels are classes, which must not be averaged
    // Format of the existing store to which the raster is added. nullopt if the raster becomes a
    // new store.
    std::optional<zarr::Format> store_format = std::nullopt;
    GDALDataset* source = nullptr;  // copied raster; nullptr for Create()
};

// Creation options after a profile was applied.
struct ProfileOptions {
    CPLStringList options;              // options for CreationOptions::Parse()
    bool wants_statistics = false;      // true if band statistics are to be stored
    std::string ome_version;            // OME-Zarr version of an OME image; empty for others
    std::vector<std::string> warnings;  // say which options have no effect without a profile
};

// Applies the profile in `options`, or in the configuration option ZARR_DEFAULT_PROFILE. Options
// that the user has set keep their values. Without a profile, returns `options` unchanged.
// `options` is GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
//
// PROFILE=CLOUD makes Zarr v3 with shards and overviews, and chooses the encoding that is smallest
// for samples of `raster.source`. PROFILE=OME does so, too, and makes an OME-Zarr image of one
// array. The option names of GDAL's COG driver (LEVEL, PREDICTOR, RESAMPLING, BLOCKSIZE with one
// number) are translated to the names of this driver.
zarr::Result<ProfileOptions> WithProfile(CSLConstList options, const ProfiledRaster& raster);

// True if `options`, or the configuration option ZARR_DEFAULT_PROFILE, name a profile.
bool WantsProfile(CSLConstList options);

// Returns the <Option> elements that describe the options of profiles to GDAL, without an enclosing
// list element.
const char* ProfileOptionList();

}  // namespace zarr_driver
