// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Registers GDAL's built-in Zarr driver. Does nothing if GDAL was built without that driver.
void RegisterBuiltin();

}  // namespace zarr_driver
