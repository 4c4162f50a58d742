// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "core/base/status.h"

namespace zarr_driver {

// Ok where a new store can take the place `folder`: nothing is there, an empty folder, or a store
// and nothing else. The error names what else is there.
zarr::Status CheckRoom(const std::string& folder);

// Ok where everything in a folder belongs to Zarr; else says what does not, and that the folder is
// therefore not `refusal`, such as "deleted".
zarr::Status CheckNothingElse(const std::string& folder, const char* refusal);

// The file or folder that a store is: of one in a zip file, the zip file.
std::string WholeOf(const std::string& folder);

// Ok where what is at `folder` is in no zip file, or is all that is in its zip file.
zarr::Status CheckAlone(const std::string& folder);

// Deletes a store, or what there is of one: the folder, or zip file, at `path`.
zarr::Status EraseWhole(const std::string& path);

// Deletes the store at `folder` and the files beside it. Refuses, with nothing
// deleted, a folder that is no Zarr v2 store or holds other things too.
zarr::Status RemoveStore(const std::string& folder);

}  // namespace zarr_driver
