// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Worker threads of the core get the thread-local configuration options of the thread that starts
// the work, because rasterio and others set credentials for one thread. Later calls have no effect.
// Thread-safe.
void ShareThreadOptions();

}  // namespace zarr_driver
