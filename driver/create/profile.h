// SPDX-License-Identifier: MIT
// The creation option PROFILE, which sets several creation options for a purpose such as cloud
// storage.
#pragma once

#include <gdal_priv.h>

#include <optional>

#include "core/base/status.h"
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

// Applies the profile of `options`: sets the options that a profile sets and that are not given,
// and adds warnings. Without a profile, warns of the options that only profiles use. Call this
// before CreationOptions::Complete(). Errors name the option.
//
// PROFILE=CLOUD makes Zarr v3 with shards, overviews, and the encoding that is smallest for samples
// of `raster.source`. PROFILE=OME adds OME-Zarr metadata and makes one array. Options of GDAL's COG
// driver (LEVEL, PREDICTOR, RESAMPLING, BLOCKSIZE with one number) are translated.
zarr::Status ApplyProfile(CreationOptions& options, const ProfiledRaster& raster);

}  // namespace zarr_driver
