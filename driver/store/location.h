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

// A node of a store that was found.
struct Location {
    StorePath store_path;  // folder of the store's root
    std::shared_ptr<const zarr::Hierarchy> hierarchy;
    // The store that `hierarchy` reads, where it was opened to be changed, else nullptr: what is
    // written through it is seen there at once.
    std::shared_ptr<zarr::Store> writable;
    std::string node;  // path in it
    zarr::NodeKind kind = zarr::NodeKind::kNone;
    // Looked at while the store was opened as a raster; nullopt where it was not.
    std::optional<PlainAuxiliary> auxiliary;
};

// What a node is opened for: a raster reads more of a store on a server at once, which is then
// asked for together.
enum class OpenedFor : std::uint8_t { kRaster, kOther };

// What all arrays of the process share, as GDAL is configured now; see also ReadLimits(). Its cache
// may hold what GDAL_CACHEMAX says, beside GDAL's own: what is held here is not
// held there again.
std::shared_ptr<zarr::ArrayContext> SharedContext();

// Opens the store that `name` lies in and looks the node up. A path into the middle of a store
// finds the store's root, so that the nodes beside it are known. kNotFound where there is no
// Zarr store at all.
zarr::Result<Location> Locate(const ConnectionString& name, const OpenOptions& options,
                              OpenedFor purpose = OpenedFor::kOther);

// The name of the array that is all of the store in a folder: the folder's without its extension.
// GDAL's built-in driver gives such a store a group in which the array has this name, and lists it
// so: Locate() finds it by that, too.
std::string RootArrayName(const StorePath& folder);

// Warns where the store failed to give metadata or a listing since it was last asked, unless that
// is what was reported last: what is looked for and need not be there, coordinates or a CRS, may be
// missing for that reason. `store` is its path.
void WarnOfFailure(const zarr::Hierarchy& hierarchy, const std::string& store);

}  // namespace zarr_driver
