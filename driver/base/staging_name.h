// SPDX-License-Identifier: MIT
// Staging names, the names of stores while they are being built.
#pragma once

#include <string>

namespace zarr_driver {

// Returns a staging name for the store at `path`: "x.zarr.0.partial" for "x.zarr" and number 0.
// Numbers are below kMaxStagingStores. The stores that a killed process has left can therefore be
// found by trying all names, without listing the folder.
std::string StagingStorePath(const std::string& path, unsigned number);
inline constexpr unsigned kMaxStagingStores = 16;

// Returns `path` with the final name of the store in place of its staging name, for messages. ": "
// and more text may follow the path. Without a staging name, returns `path` unchanged.
std::string FinalName(const std::string& path);

}  // namespace zarr_driver
