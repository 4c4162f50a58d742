// SPDX-License-Identifier: MIT
// Arrays of the multidimensional API as rasters, and their overviews: the smaller levels of their
// pyramids.
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <string>
#include <vector>

#include "core/base/status.h"
#include "core/conventions/facts/array_facts.h"
#include "driver/base/gdal_compat.h"
#include "driver/raster/dataset.h"

namespace zarr_driver {

class MdimSession;

// Returns the paths of the overviews of the array at `path`, largest first: the levels after the
// array in the list of its pyramid, which begins with the largest level.
std::vector<std::string> FindOverviews(MdimSession& session, const std::string& path);

// Opens the array at `path` as a raster. If the session is open for update, stores pending changes
// first, and the raster has pending changes of its own in the store of the session.
zarr::Result<std::unique_ptr<ZarrDataset>> OpenArrayRaster(MdimSession& session,
                                                           const std::string& path);

#if ZARR_BUILDS_MULTIDIM_OVERVIEWS
// Builds overviews as the array's raster dataset does. Emits an error on failure.
CPLErr BuildArrayOverviews(MdimSession& session, const zarr::ArrayFacts& facts,
                           const char* resampling, const std::vector<int>& factors,
                           GDALProgressFunc progress, void* progress_data, CSLConstList options);
#endif

}  // namespace zarr_driver
