// SPDX-License-Identifier: MIT
// Staging names, the names of stores while they are being built.
#pragma once

#include <string>

namespace zarr_driver {

// Returns the staging name number `number` for the store at `path`: "x.zarr.0.partial" for "x.zarr"
// and 0. Numbers are below kMaxStagingStores. Leftovers of a killed writer can therefore be found
// without listing a folder.
std::string StagingStorePath(const std::string& path, unsigned number);
inline constexpr unsigned kMaxStagingStores = 16;

// Returns `path` with a staging name replaced by the final name of the store, for messages. ": "
// and more text may follow the path. A path without staging name stays unchanged.
std::string FinalName(const std::string& path);

}  // namespace zarr_driver
