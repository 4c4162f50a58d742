// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace zarr_driver {

class SharedResource;

// Takes the statistics of arrays that were written to since, and of those that are gone, out of
// what GDAL keeps of the session's arrays and has read of `file`. Does nothing where looking costs
// requests. What cannot be read is passed over.
void ClearOldStatistics(const SharedResource& session, const std::string& file);

}  // namespace zarr_driver
