// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "driver/base/open_options.h"
#include "driver/store/connection_string.h"

namespace zarr_driver {

// A node of a store that was found.
struct Location {
    std::string store_path;  // folder of the store's root
    std::shared_ptr<const zarr::Hierarchy> hierarchy;
    // The store that `hierarchy` reads, where it was opened to be changed, else nullptr: what is
    // written through it is seen there at once.
    std::shared_ptr<zarr::Store> writable;
    std::string node;  // path in it
    zarr::NodeKind kind = zarr::NodeKind::kNone;
};

// What all arrays of the process share, as GDAL is configured now; see also ReadLimits(). Its cache
// may hold what GDAL_CACHEMAX says, beside GDAL's own: what is held here is not
// held there again.
std::shared_ptr<zarr::ArrayContext> SharedContext();

// Opens the store that `name` lies in and looks the node up. A path into the middle of a store
// finds the store's root, so that what lies beside the node is known. kNotFound where there is no
// Zarr v2 store at all.
zarr::Result<Location> Locate(const ConnectionString& name, const OpenOptions& options);

}  // namespace zarr_driver
