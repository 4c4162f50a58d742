// SPDX-License-Identifier: MIT
// Functions that recognise stores by the names of files and folders, without opening them.
#pragma once

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// True if `folder` is the root of a store: Zarr v2 or v3, a Zarr v1 array, a folder "x.levels" of
// xcube, or Kerchunk references. `folder` may be a zip file, or a folder in a zip file. Looks for a
// few files by name, and lists no folder.
bool IsStoreFolder(const std::string& folder);

// True if the server of the remote `folder` refuses or fails to say whether it holds a store. Sends
// one request, and repeats the request by HttpRetry.
bool IsStoreUnknown(const StorePath& folder);

// True if the last name in `path` is the name of a Zarr v2 or v3 metadata document. If that name is
// `meta`, reads the file, and returns true if it is the metadata of a Zarr v1 array.
bool NamesDocument(const std::string& path);

// Returns the folder to which a path or URL refers. This is the folder of the document if `path`
// names a metadata document, else `path` without trailing slashes.
StorePath FolderOf(const StorePath& path);

// Returns Ok if a store can be created at `path`. Returns kUnsupported for web servers, which are
// read-only.
zarr::Status CheckWritable(const StorePath& path);

// Returns Ok if the store at `path` can be changed. Returns kUnsupported if the store is on a web
// server or in a remote zip file.
zarr::Status CheckChangeable(const StorePath& path);

// Returns FolderOf(path) for a store that is to be written or deleted. If the name ends in ".zip"
// and is not an existing folder, the result is a path in /vsizip/.
StorePath TargetFolderOf(const StorePath& path);

}  // namespace zarr_driver
