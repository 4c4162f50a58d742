// SPDX-License-Identifier: MIT
// Opens the Zarr stores that a STAC Item or Collection lists. Other STAC documents are left to
// other drivers.
#pragma once

#include <gdal_priv.h>

#include <memory>
#include <optional>
#include <string>

#include "core/base/status.h"
#include "driver/store/stac_document.h"

namespace zarr_driver {

// True if the file that GDAL has opened may be a STAC document that lists Zarr stores. Reads up to
// 1 MiB of it if its start looks like an Item or a Collection. Decides by words alone.
bool MayBeStac(GDALOpenInfo& open_info);

// Parses the STAC document at `path`, of which `open_info` may hold the text. Returns nullopt if
// there is none that lists Zarr stores. Returns kLimit for a document above Limit::kMetadataSize.
zarr::Result<std::optional<StacDocument>> ReadStac(const GDALOpenInfo& open_info,
                                                   const StorePath& path);

// Returns the name by which a store of a document is opened.
std::string NameOf(const StacStore& store);

// Returns a dataset without bands whose subdatasets are the stores of `document`.
std::unique_ptr<GDALDataset> ListStac(const StacDocument& document);

}  // namespace zarr_driver
