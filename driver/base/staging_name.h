// SPDX-License-Identifier: MIT
// Staging names, which stores have while they are built.
#pragma once

#include <string>

namespace zarr_driver {

// Returns the staging name of the store at `path`: "x.zarr.0.partial" for "x.zarr" and number 0.
// Numbers are below a small maximum, so that the next writer finds leftovers of a killed writer
// without listing a folder.
std::string StagingStorePath(const std::string& path, unsigned number);
inline constexpr unsigned kMaxStagingStores = 16;

// Returns `path` with the staging name replaced by the final one, for messages. ": " and more text
// may follow the path. Returns other paths unchanged.
std::string FinalName(const std::string& path);

}  // namespace zarr_driver
