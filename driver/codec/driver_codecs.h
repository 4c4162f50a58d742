// SPDX-License-Identifier: MIT
#pragma once

namespace zarr_driver {

// Adds the codecs whose chunks are files that GDAL's drivers decode to the core's registry.
void ProvideDriverCodecs();

}  // namespace zarr_driver
