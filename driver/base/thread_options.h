// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Has the threads of the core's WorkerPool work under GDAL's options of the thread that gives them
// the work (CPLSetThreadLocalConfigOption()), as programs such as rasterio set credentials for one
// thread. Once is enough. Thread-safe.
void ShareThreadOptions();

}  // namespace zarr_driver
