// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr_driver {

class SharedResource;

// Removes outdated statistics from the PAM data of `session`, which GDAL loaded from `file`.
// Statistics are outdated if the array was written after the file, or no longer exists. Does
// nothing for remote stores. Files that cannot be read are ignored.
void ClearOldStatistics(const SharedResource& session, const std::string& file);

}  // namespace zarr_driver
