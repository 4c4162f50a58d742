// SPDX-License-Identifier: MIT
// What the names of files and folders say of stores, without opening them.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// True where `folder`, which may be a zip file or in one, holds one of the files that make a store
// of Zarr v2 or v3, is one of xcube's "x.levels", or an array of Zarr v1; a few stats, no listing.
// False of Kerchunk references in Parquet files, which have a `.zmetadata` alone.
bool IsStoreFolder(const std::string& folder);

// True where the `.zmetadata` in `folder` is that of Kerchunk references in Parquet files. Reads
// it.
bool HoldsReferences(const std::string& folder);

// True for names of the documents of Zarr v2 and v3, and for the `meta` of an array of Zarr v1,
// which is read where the path has that name.
bool NamesDocument(const std::string& path);

// The folder that a path or URL means: the path itself without trailing slashes, or the folder of
// the document that it names.
StorePath FolderOf(const StorePath& path);

// Ok where a store can be made at `path`, or its folder; else Unsupported: on a web server.
zarr::Status CheckWritable(const StorePath& path);

// Ok where what is at `path` can be changed; else Unsupported: in a zip file on a server, or as
// above.
zarr::Status CheckChangeable(const StorePath& path);

// Ok where also a node there can be deleted or renamed; Unsupported in a zip file, which keeps what
// is in it.
zarr::Status CheckDeletable(const StorePath& path, const std::string& node);

// FolderOf() a store that is to be written or deleted: of a name that ends in ".zip", unless it is
// a folder, the one that GDAL sees in the zip file.
StorePath TargetFolderOf(const StorePath& path);

}  // namespace zarr_driver
