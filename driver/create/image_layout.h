// SPDX-License-Identifier: MIT
// Layout of rasters whose chunks are image files.
#pragma once

#include "core/base/status.h"
#include "driver/create/creation_options.h"
#include "driver/create/profile.h"

namespace zarr_driver {

// If COMPRESS names an image format, sets INTERLEAVE=PIXEL for bands that are the samples of one
// image: 3 bands for JPEG, 3 or 4 for WebP, 2 to 4 for PNG. Other bands stay images of their own.
// Does nothing if an option states another layout: BAND_DIM, SINGLE_ARRAY, PROFILE=OME, or sizes of
// all dimensions of a chunk. Fails if the format has no images of so many bands.
zarr::Status ChooseImageLayout(CreationOptions& options, ProfiledRaster& raster);

}  // namespace zarr_driver
