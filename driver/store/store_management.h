// SPDX-License-Identifier: MIT
// Operations on whole stores: Delete(), Rename() and CopyFiles() of GDALDriver. Delete() and
// Rename() emit one error on failure. For stores of GDAL's built-in Zarr driver, the built-in
// driver does the work.
#pragma once

#include <cpl_error.h>

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/store/store_address.h"

namespace zarr_driver {

// Deletes the store, array or group to which `name` leads. Fails, with nothing deleted, if the
// folder is not a Zarr store or holds files of other programs. Keeps everything in a quiet deletion
// (quiet_deletion.h).
CPLErr Delete(const char* name);

// Deletes the array or group that `name` states beside the path of a store, before creation makes
// one of that name. Keeps it if it is open, or if `is_append` is true. Call this when all options
// are valid. Returns an error if the deletion fails.
zarr::Status DeleteReplacedNode(const char* name, bool is_append);

// Moves a store to a path at which nothing exists, or renames an array or group within its parent
// group.
CPLErr Rename(const char* new_name, const char* old_name);

// Returns the store or node to which `name` leads. Fails if nothing exists there.
zarr::Result<StoreAddress> FindStoreNode(const char* name);

// Returns where a new node called `name` is created: the store, and the node's path in the store.
// If a folder above `name` holds Zarr documents, the node belongs to that store. Otherwise it
// belongs to a separate store, and the node is the path that `name` states. Levels of
// xcube's "x.levels", and existing stores whose parent folder has no Zarr document, are always
// separate stores.
zarr::Result<StoreAddress> FindTargetNode(const char* name);

// True if `target`, a result of FindTargetNode(), is a node in an existing store.
bool IsInStore(const StoreAddress& target);

// Returns Ok if `stated`, the creation option FORMAT, is nullopt or equals the format of the
// existing `store`.
zarr::Status CheckAddedFormat(std::optional<zarr::Format> stated, const zarr::Hierarchy& store);

// Returns Ok if nothing exists at `address` and a store can be created there.
zarr::Status CheckFree(const StoreAddress& address);

// Copies a store and its sidecar files to a path at which nothing exists. Deletes an incomplete
// copy on failure.
zarr::Status CopyStore(const StoreAddress& source, const StoreAddress& target);

// Returns Ok if a new store may replace `folder`: the folder is missing, empty, or holds only a
// store. Otherwise the error names the first file of another program.
zarr::Status CheckReplaceable(const StoreAddress& folder);

// Returns Ok if all files in `folder` belong to Zarr. Otherwise the error names a file of another
// program. The message ends with `refusal`, such as "deleted" in "so it is not deleted".
zarr::Status CheckNoOtherFiles(const StoreAddress& folder, const char* refusal);

// Returns Ok if `folder` is not in a zip file, or if the zip file contains nothing but `folder`.
zarr::Status CheckFillsZip(const StoreAddress& folder);

// Deletes the store at `folder` and its sidecar files. Fails, with nothing deleted, if the folder
// is not a Zarr store or holds files of other programs.
zarr::Status RemoveStore(const StoreAddress& folder);

}  // namespace zarr_driver
