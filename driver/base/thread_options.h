// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Makes worker threads of the core use GDAL's thread-local configuration options
// (CPLSetThreadLocalConfigOption()). The options are taken from the thread that starts the work.
// Programs such as rasterio set credentials for a single thread. Further calls in the process
// change nothing. Thread-safe.
void ShareThreadOptions();

}  // namespace zarr_driver
