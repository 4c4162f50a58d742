// SPDX-License-Identifier: MIT
// The creation option PROFILE, which sets several creation options for a purpose such as cloud
// storage.
#pragma once

#include <cpl_string.h>
#include <gdal_priv.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/base_state.h"
#include "core/metadata/array_metadata.h"
#include "driver/create/create_store.h"

namespace zarr_driver {

// Properties of a new raster that affect the options of a profile.
struct ProfiledRaster : NewRaster {
    bool are_bands_split = false;  // true if each band is a separate array
    bool is_categorical = false;   // true if pixels are class numbers, which must not be averaged
    // Zarr format of the existing store that gets the raster; nullopt for a new store.
    std::optional<zarr::Format> store_format = std::nullopt;
    GDALDataset* source = nullptr;  // raster that CreateCopy() copies; nullptr for Create()
};

// Creation options that result from a profile.
struct ProfileOptions {
    CPLStringList options;          // options for CreationOptions::Parse()
    bool wants_statistics = false;  // true if band statistics are to be stored
    zarr::BaseSamples samples = zarr::BaseSamples::kSome;  // CreationOptions::samples
    std::string ome_version;            // OME-Zarr version for PROFILE=OME, else empty
    std::vector<std::string> warnings;  // name the options that have no effect without a profile
};

// Applies the profile that `options` or the configuration option ZARR_DEFAULT_PROFILE names;
// without one, returns `options` unchanged. The user's own options have priority. `options` is
// GDAL's NULL-terminated list of NAME=VALUE. Errors name the option.
//
// PROFILE=CLOUD makes Zarr v3 with shards, overviews, and the encoding that is smallest for samples
// of `raster.source`. PROFILE=OME adds OME-Zarr metadata and makes one array. Options of GDAL's COG
// driver (LEVEL, PREDICTOR, RESAMPLING, BLOCKSIZE with one number) are translated.
zarr::Result<ProfileOptions> WithProfile(CSLConstList options, const ProfiledRaster& raster);

// True if `options`, or the configuration option ZARR_DEFAULT_PROFILE, name a profile.
bool WantsProfile(CSLConstList options);

// Returns the XML elements <Option> of the options for profiles, without an enclosing list element.
const char* ProfileOptionList();

}  // namespace zarr_driver
