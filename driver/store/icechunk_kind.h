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

// Returns the path of a store, "/vsiicechunk/{path}", if `path` leads to a local Icechunk
// repository. `path` may be a folder, a zip file, or the file "repo" of a repository. Returns an
// empty string for any other path. Takes up to three stats.
std::string FindIcechunk(const StorePath& path);

// If the local path in `name` leads to an Icechunk repository, replaces the path by the path of a
// store, "/vsiicechunk/{path}". If the path is a folder with Zarr documents, leaves the path
// unchanged and sets `name.is_store`.
void RecogniseIcechunk(ConnectionString& name);

// True if an Icechunk repository exists at the remote `path`. Takes one or two requests. False for
// paths that are not remote.
bool IsRemoteIcechunk(const StorePath& path);

// Returns the path of a store for the repository at `path`: "/vsiicechunk/{path}".
StorePath AsIcechunk(const StorePath& path);

// Returns the store path of a repository with the branch, tag or snapshot that `wanted` names. If
// `path` is the name of a repository, the result has the path of its folder. Returns
// kInvalidArgument if `wanted` selects more than one state, or another state than `path` selects.
zarr::Result<StorePath> WithSelection(const StorePath& path, const zarr::IcechunkSelection& wanted);

// Adds the items BRANCHES, TAGS and SNAPSHOT about the repository at `path` to `list`. Names are
// separated by commas. `store` is the open store, from which the snapshot is taken. Adds nothing if
// `path` is not the path of a repository.
void DescribeIcechunk(const StorePath& path, const zarr::Store& store, CPLStringList& list);

// Frees the snapshot and the manifests that were read last. They were kept in memory for the next
// opening.
void ForgetIcechunk();

}  // namespace zarr_driver
