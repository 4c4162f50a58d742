// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Sets the core's limits as GDAL's configuration options of their names say: a number, of bytes
// also with KB, MB, GB or TB behind it. A value that is none of that, or larger than it may be,
// gives one warning, and the usual limit holds. To be called before a store is opened; the limits
// hold for the whole process. Thread-safe.
void ReadLimits();

}  // namespace zarr_driver
