// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr_driver {

// GDAL's options, as they are set for a path now, that decide what server, account and rights
// answer for it: two texts that differ may mean two contents of one path. It holds passwords: not
// to be shown. Empty where none is set.
std::string RemoteOptions(const std::string& path);

}  // namespace zarr_driver
