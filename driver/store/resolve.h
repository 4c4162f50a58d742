// SPDX-License-Identifier: MIT
// The way from a name to the store there: what the name leads to, and whether it is a store.
#pragma once

#include <functional>
#include <string>

#include "core/base/status.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// Returns the address to which a path leads. If the path names a metadata document, this is the
// folder of the document. Looks at few files. Sends no request unless the path ends in `meta`.
StoreAddress AddressOf(const StorePath& path);

// Returns the address to which a parsed name leads, with the node and slice that the name states.
StoreAddress Resolve(const ConnectionString& name);

// Parses a name that a user opens, and returns the address to which it leads.
zarr::Result<StoreAddress> Resolve(const std::string& name);

// Calls WithRefusal() for the store that `name`, as the user gave it, leads to.
zarr::Status WithRefusalOf(const char* name, zarr::Status failure);

// True if `address` is the root of a store: Zarr v2 or v3, a Zarr v1 array, a folder "x.levels" of
// xcube, or references. Looks for a few files by name, and lists no folder.
bool HoldsStore(const StoreAddress& address);

// Returns the root of the store in which `address` lies, with the path from there as its node. An
// address that states a node is a root. Looks at names and documents.
StoreAddress RootOf(const StoreAddress& address);

// Returns the topmost folder of the groups around the folder at `address`, with the path from there
// as its node. `path` is the path of the folder by which `exists` finds documents.
StoreAddress Ascended(const StoreAddress& address, std::string path,
                      const std::function<bool(const std::string& key)>& exists);

// True if the folder at `address` holds a document of Zarr v2 or v3, levels of xcube, or a Zarr v1
// array. `address` is not in a zip file.
bool HoldsFolderStore(const StoreAddress& address);

// True if the store at `address` holds a Zarr v1 array at its root. The contents of the file `meta`
// are checked, because other formats use that file name, too.
bool HoldsV1Array(const StoreAddress& address);

// True if the server of the remote `address` refuses or fails to say whether it holds a store.
// Sends one request, and repeats the request by HttpRetry.
bool IsStoreUnknown(const StoreAddress& address);

// True if the last name in `path` is the name of a Zarr v2 or v3 metadata document. If that name is
// `meta`, reads the file, and returns true if it is the metadata of a Zarr v1 array.
bool NamesDocument(const std::string& path);

// Returns Ok if a store can be created at `address`. Returns kUnsupported for web servers, which
// are read-only.
zarr::Status CheckWritable(const StoreAddress& address);

// Returns Ok if the store at `address` can be changed. Returns kUnsupported if the store is on a
// web server or in a remote zip file.
zarr::Status CheckChangeable(const StoreAddress& address);

// Returns the address at which a store is written or deleted. If the name of `address` ends as that
// of a zip file and no such folder exists, this is the root of that zip file.
StoreAddress TargetOf(const StoreAddress& address);

}  // namespace zarr_driver
