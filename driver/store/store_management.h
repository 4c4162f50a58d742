// SPDX-License-Identifier: MIT
// Stores as wholes: what GDALDriver::Delete() and Rename() do, and CopyFiles() of whole stores.
// Delete() and Rename() emit one error where they fail. Stores that are left to GDAL's own driver
// are its to delete, rename and copy, as it does by itself.
#pragma once

#include <cpl_error.h>

#include <optional>
#include <string>

#include "core/base/status.h"
#include "core/hierarchy/hierarchy.h"
#include "driver/store/store_path.h"

namespace zarr_driver {

// Deletes a store, or the array or group that the name leads to; nothing that is not a Zarr v2
// store or has other things in it.
CPLErr Delete(const char* name);

// Gives a store another path, where nothing may be; or an array or group another name in its group.
CPLErr Rename(const char* new_name, const char* old_name);

// The place of a store, or of a node in one.
struct StorePlace {
    StorePath folder;
    std::string node;  // empty for the store itself
};

// The store, or node, that a name leads to; an error where there is none.
zarr::Result<StorePlace> FindStorePlace(const char* name);

// Returns where something new called `name` goes: a node of the store around it, or of the store
// that `name` gives with a node; else a new store at `folder`, `node` being what `name` says. Paths
// below a folder with a document of Zarr are nodes of its store, unless a store lies there already
// and the folder around that one has no document. Paths below xcube's x.levels are not.
zarr::Result<StorePlace> FindTargetPlace(const char* name);

// True where FindTargetPlace() found a node of a store that exists.
bool IsInStore(const StorePlace& target);

// Ok where the option FORMAT, if `stated`, is the version of the store that is added to.
zarr::Status CheckFormatOfAdded(std::optional<zarr::Format> stated, const zarr::Hierarchy& store);

// Ok where nothing is at `folder`.
zarr::Status CheckFree(const std::string& folder);

// Copies a store, with the files beside it, to a path where nothing may be. What was copied is
// removed where it fails.
zarr::Status CopyStore(const StorePath& folder, const std::string& target);

// Ok where a new store can take the place `folder`: nothing is there, an empty folder, or a store
// and nothing else. The error names what else is there.
zarr::Status CheckRoom(const std::string& folder);

// Ok where everything in a folder belongs to Zarr; else says what does not, and that the folder is
// therefore not `refusal`, such as "deleted".
zarr::Status CheckNothingElse(const std::string& folder, const char* refusal);

// The file or folder that a store is: of one in a zip file, the zip file.
std::string FileOrFolderOf(const std::string& folder);

// Ok where what is at `folder` is in no zip file, or is all that is in its zip file.
zarr::Status CheckAlone(const std::string& folder);

// Deletes the store at `folder` and the files beside it. Refuses, with nothing
// deleted, a folder that is not a Zarr store or holds other things too.
zarr::Status RemoveStore(const std::string& folder);

}  // namespace zarr_driver
