// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Makes worker threads of the core use GDAL's thread-local configuration options
// (CPLSetThreadLocalConfigOption()) of the thread that starts the work. Programs such as rasterio
// set credentials for a single thread. Later calls in the process have no effect. Thread-safe.
void ShareThreadOptions();

}  // namespace zarr_driver
