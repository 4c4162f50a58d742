// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Makes the threads of the core's WorkerPool use the thread-local configuration options
// (CPLSetThreadLocalConfigOption()) of the thread that starts the work. Programs such as rasterio
// set credentials for one thread. One call is enough. Thread-safe.
void ShareThreadOptions();

}  // namespace zarr_driver
