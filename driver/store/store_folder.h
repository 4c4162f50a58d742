// SPDX-License-Identifier: MIT
// Recognises stores by the names of files and folders, without opening the stores.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// True if `folder` is the root of a Zarr v2 or v3 store, an "x.levels" of xcube or a Zarr v1 array.
// `folder` may be a zip file, or a folder in one. Takes a few stats and no listing. False for
// Kerchunk references in Parquet files, which have only a `.zmetadata`.
bool IsStoreFolder(const std::string& folder);

// True if the `.zmetadata` in `folder` belongs to Kerchunk references in Parquet files. Reads that
// file.
bool HoldsKerchunkReferences(const std::string& folder);

// True if `path` ends with the name of a Zarr v2 or v3 document. A file named `meta` is read, and
// must be the metadata of a Zarr v1 array.
bool NamesDocument(const std::string& path);

// Returns the folder that a path or URL means: the folder of a document if `path` names one, else
// `path` without trailing slashes.
StorePath FolderOf(const StorePath& path);

// Returns Ok if a store can be created at `path`, else kUnsupported: web servers are read-only.
zarr::Status CheckWritable(const StorePath& path);

// Returns Ok if the store at `path` can be changed. Returns kUnsupported for web servers and for
// remote zip files.
zarr::Status CheckChangeable(const StorePath& path);

// Returns Ok if `node` of the store at `path` can be deleted or renamed. Returns kUnsupported for
// zip files, in which nothing can be deleted.
zarr::Status CheckDeletable(const StorePath& path, const std::string& node);

// Returns FolderOf() of a store that is to be written or deleted. A name that ends in ".zip"
// becomes a path in /vsizip/, unless a folder has that name.
StorePath TargetFolderOf(const StorePath& path);

}  // namespace zarr_driver
