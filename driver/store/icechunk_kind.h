// SPDX-License-Identifier: MIT
#pragma once

#include <cpl_string.h>

#include <string>
#include <string_view>

#include "core/base/status.h"
#include "core/references/icechunk_repository.h"
#include "core/store/store.h"
#include "driver/store/store_kind.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Read-only store kind for Icechunk repositories. The path of such a store begins with
// kIcechunkPrefix; see icechunk_name.h.
extern const StoreKind kIcechunkKind;

// True if `start`, the first bytes of a file called "repo", are those of an Icechunk repository.
bool IsIcechunkRepoFile(const std::string& path, std::string_view start);

// Returns the path of a store, "/vsiicechunk/{path}", if `path` leads to an Icechunk repository: a
// folder, a zip file, or the file "repo" of a repository. Returns an empty string if not. Takes up
// to three stats; returns an empty string for remote paths without a request.
std::string FindIcechunk(const StorePath& path);

// If the local path of `name` leads to a repository, replaces it by the path of a store. If the
// path is a folder with Zarr documents, sets `name.is_store` and leaves the path, whatever else the
// folder holds.
void RecogniseIcechunk(ConnectionString& name);

// True if an Icechunk repository exists at the remote `path`. Takes one or two requests. False for
// paths that are not remote.
bool IsRemoteIcechunk(const StorePath& path);

// Returns the path of a store for the repository at `path`: "/vsiicechunk/{path}".
StorePath AsIcechunk(const StorePath& path);

// Returns `path` with the branch, tag or snapshot that `wanted` has. The name of a repository
// becomes that of its folder. Returns kInvalidArgument if `wanted` has two of them, or if the path
// already names another one.
zarr::Result<StorePath> WithSelection(const StorePath& path, const zarr::IcechunkSelection& wanted);

// Adds the items BRANCHES, TAGS and SNAPSHOT about the repository at `path` to `list`. Names are
// separated by commas. `store` is the open store, which knows its snapshot. Adds nothing if `path`
// is not that of a repository.
void DescribeIcechunk(const StorePath& path, const zarr::Store& store, CPLStringList& list);

// Frees the snapshot and the manifests that were read last. Until then they stay in memory for the
// next opening.
void ForgetIcechunk();

}  // namespace zarr_driver
