// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "core/hierarchy/hierarchy.h"
#include "driver/connection_string.h"
#include "driver/options.h"

namespace zarr_driver {

// A node of a store that was found.
struct Location {
    std::string store_path;  // folder of the store's root
    std::shared_ptr<const zarr::Hierarchy> hierarchy;
    std::string node;  // path in it
    zarr::NodeKind kind = zarr::NodeKind::kNone;
};

// What all arrays of the process share. Its cache is half of GDAL's own: what is held here is not
// held there again.
std::shared_ptr<zarr::ReadContext> SharedContext();

// True where `folder`, which may be a zip file or in one, holds one of the files that make a Zarr
// v2 store, or is one of xcube's "x.levels"; a few stats, no listing.
bool IsStoreFolder(const std::string& folder);

// The folder that a path or URL means: the path itself without trailing slashes, or the folder of
// the
// `.zarray`, `.zattrs`, `.zgroup` or `.zmetadata` that it names.
std::string FolderOf(const std::string& path);

// FolderOf() a store that is to be written or deleted: of a name that ends in ".zip", unless it is
// a folder, the one that GDAL sees in the zip file.
std::string TargetFolderOf(const std::string& path);

// Opens the store that `name` lies in and looks the node up. A path into the middle of a store
// finds the store's root, so that what lies beside the node is known. kNotFound where there is no
// Zarr v2 store at all.
zarr::Result<Location> Locate(const ConnectionString& name, const OpenOptions& options);

}  // namespace zarr_driver
