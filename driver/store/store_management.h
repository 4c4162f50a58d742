// SPDX-License-Identifier: MIT
// Operations on whole stores: GDALDriver::Delete(), Rename() and CopyFiles(). Delete() and Rename()
// emit one error on failure. Stores of GDAL's built-in driver are passed to that driver.
#pragma once

#include <cpl_error.h>

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Deletes the store, array or group that `name` leads to. Fails, with nothing deleted, if the
// folder is no Zarr store or holds other files, too.
CPLErr Delete(const char* name);

// Moves a store to a free path, or gives an array or group another name in its group.
CPLErr Rename(const char* new_name, const char* old_name);

// Path of a store, or of a node in a store.
struct StoreNode {
    StorePath folder;
    std::string node;  // empty for the store itself
};

// Returns the store or node that `name` leads to. Fails if it does not exist.
zarr::Result<StoreNode> FindStoreNode(const char* name);

// Returns where a new store or node called `name` is created. A path below a folder with Zarr
// documents becomes a node of that store. Exceptions are paths below xcube's "x.levels", and paths
// of stores whose parent folder has no document. Any other path becomes a new store at `folder`,
// with `node` as in `name`.
zarr::Result<StoreNode> FindTargetNode(const char* name);

// True if `target`, from FindTargetNode(), is a node of an existing store.
bool IsInStore(const StoreNode& target);

// Returns Ok if the creation option FORMAT is not `stated`, or equals the format of the existing
// `store`.
zarr::Status CheckAddedFormat(std::optional<zarr::Format> stated, const zarr::Hierarchy& store);

// Returns Ok if nothing exists at `folder` and a store can be created there.
zarr::Status CheckFree(const std::string& folder);

// Copies a store and its sidecar files to a free path. A failed copy is deleted.
zarr::Status CopyStore(const StorePath& folder, const std::string& target);

// Returns Ok if a new store can replace `folder`: nothing exists there, or an empty folder, or a
// folder with only a store. The error names the first other file.
zarr::Status CheckReplaceable(const std::string& folder);

// Returns Ok if all files in `folder` belong to Zarr. Otherwise the error names one that does not,
// and says that the folder is therefore not `refusal`, such as "deleted".
zarr::Status CheckNoOtherFiles(const std::string& folder, const char* refusal);

// Returns the file or folder in which a store lies: the zip file if `folder` is in /vsizip/, else
// `folder`.
std::string FileOrFolderOf(const std::string& folder);

// Returns Ok if `folder` is not in a zip file, or is all that its zip file holds.
zarr::Status CheckFillsZip(const std::string& folder);

// Deletes the store at `folder` and its sidecar files. Fails, with nothing deleted, if the folder
// is no Zarr store or holds other files, too.
zarr::Status RemoveStore(const std::string& folder);

}  // namespace zarr_driver
