// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "core/store/store.h"
#include "driver/base/open_options.h"
#include "driver/store/sidecars.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// A node that was found, with the store that holds it.
struct Location {
    StorePath store_path;  // root folder of the store
    std::shared_ptr<const zarr::Hierarchy> hierarchy;
    // The store that `hierarchy` reads, if opened for update, else nullptr. Whatever is written
    // through it is visible in `hierarchy` at once.
    std::shared_ptr<zarr::Store> writable;
    std::string node;  // path of the node in the store, "" for the root
    zarr::NodeKind kind = zarr::NodeKind::kNone;
    // The file "x.zarr.aux.xml", loaded while a remote store is opened as a raster; else nullopt.
    std::optional<AuxiliaryFile> auxiliary;
};

// Why a node is opened. Opening a raster reads more documents of a remote store, which are
// therefore prefetched together.
enum class OpenedFor : std::uint8_t { kRaster, kOther };

// Returns the context that all arrays of the process share: its limits and its cache of decoded
// chunks. GDAL_CACHEMAX bounds that cache, in addition to GDAL's own block cache. Applies GDAL's
// current configuration at each call, see ReadLimits().
std::shared_ptr<zarr::ArrayContext> SharedContext();

// Opens the store that holds `name` and finds the node. A path into the middle of a store finds the
// root of the store, so that neighbouring nodes are known. Returns kNotFound if there is no Zarr
// store.
zarr::Result<Location> Locate(const ConnectionString& name, const OpenOptions& options,
                              OpenedFor purpose = OpenedFor::kOther);

// Returns the name of an array that is the root of the store in `folder`: the folder's name without
// its extension. GDAL's built-in driver lists such an array in a group by this name, so Locate()
// accepts the name, too.
std::string RootArrayName(const StorePath& folder);

// Warns if the store failed to return metadata or a listing since the last call, unless GDAL's last
// error says so already. Optional metadata such as coordinates or a CRS may be missing because of
// the failure. `store` is the path of the store.
void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store);

}  // namespace zarr_driver
